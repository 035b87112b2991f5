import { InvalidInput, type Place } from '../../shared/errors.ts';
import type { VaultText } from '../values.ts';
import { open, seal } from './cipher.ts';
import { type Envelope, formatEnvelope, parseEnvelope } from './envelope.ts';

/** The label of a secret that was given without one. */
export const DEFAULT_LABEL = 'default';

/** A vault password and the vault id it belongs to. */
export interface VaultSecret {
  readonly label: string;
  readonly password: string;
}

/** Several secrets are given, and none is chosen to encrypt with. */
export class AmbiguousSecret extends InvalidInput {}

/** The vault passwords of a run. */
export class VaultSecrets {
  readonly #secrets: readonly VaultSecret[];
  readonly #matchOnly: boolean;

  /** With `matchOnly`, only a secret with the label of the data is tried (`vault_id_match`). */
  constructor(
    secrets: readonly VaultSecret[],
    { matchOnly = false }: { matchOnly?: boolean } = {},
  ) {
    this.#secrets = secrets;
    this.#matchOnly = matchOnly;
  }

  get labels(): string[] {
    return this.#secrets.map(({ label }) => label);
  }

  /** What vault text holds. Throws InvalidInput at `place`. */
  decrypt(text: string, place?: Place): Buffer {
    return this.open(text, place).content;
  }

  /**
   * What vault text holds, and the secret to encrypt it with again: the password that opened it under the
   * label that it has. Matching labels are tried first. Throws InvalidInput.
   */
  open(text: string, place?: Place): { readonly content: Buffer; readonly secret: VaultSecret } {
    const envelope = readEnvelope(text, place);
    const label = envelope.label ?? DEFAULT_LABEL;
    for (const { password } of this.#candidates(label)) {
      const content = open(envelope, password);
      if (content !== undefined) return { content, secret: { label, password } };
    }
    const [message, hint] = this.#refusal(envelope);
    throw new InvalidInput([{ place, message, hint, isLocked: true }]);
  }

  /** Opens an inline `!vault` scalar, for the YAML loader. */
  readonly decryptText = (vault: VaultText): string =>
    this.decrypt(vault.ciphertext, vault.position).toString('utf8');

  /**
   * Vault text of some data, with the secret of a label or the only one there is. `salt` comes from
   * `VAULT_ENCRYPT_SALT`. Throws InvalidInput where the secret is missing or ambiguous.
   */
  encrypt(data: string | Buffer, label?: string, salt?: Buffer): string {
    return encryptWith(this.secretFor(label), data, salt);
  }

  /** The secret to encrypt with. Throws InvalidInput where it is missing or ambiguous. */
  secretFor(label?: string): VaultSecret {
    const named =
      label === undefined ? this.#secrets : this.#secrets.filter((each) => each.label === label);
    const [secret] = named;
    if (secret === undefined) throw InvalidInput.at(undefined, ...this.#missing(label));
    if (label !== undefined || this.#secrets.length === 1) return secret;
    const labels = this.labels.join(', ');
    throw new AmbiguousSecret([
      {
        message: `several vault ids could encrypt: ${labels}`,
        hint: 'choose one with --encrypt-vault-id',
      },
    ]);
  }

  #candidates(label: string): readonly VaultSecret[] {
    const matching = this.#secrets.filter((secret) => secret.label === label);
    if (this.#matchOnly) return matching;
    return [...matching, ...this.#secrets.filter((secret) => secret.label !== label)];
  }

  #missing(label: string | undefined): [string, string] {
    const hint = 'give --vault-password-file, --vault-id or --ask-vault-pass';
    if (label === undefined) return ['no vault password is given', hint];
    return [
      `no vault password is given for the vault id "${label}"`,
      `give --vault-id ${label}@FILE`,
    ];
  }

  #refusal({ label }: Envelope): [string, string] {
    const what =
      label === undefined ? 'this is encrypted' : `this is encrypted for the vault id "${label}"`;
    if (this.#secrets.length === 0)
      return [`${what}, and ${this.#missing(undefined)[0]}`, this.#missing(undefined)[1]];
    const tried = this.#candidates(label ?? DEFAULT_LABEL).length;
    if (tried === 0)
      return [`${what}, and no password with that label is given`, `give --vault-id ${label}@FILE`];
    const fault =
      tried === 1
        ? 'the vault password does not open it'
        : `none of the ${tried} vault passwords opens it`;
    return [`${what}, and ${fault}`, 'check the password and its vault id'];
  }
}

/** Vault text of some data for one secret: format 1.2 where it has a label of its own, else 1.1. */
export function encryptWith(secret: VaultSecret, data: string | Buffer, salt?: Buffer): string {
  const label = secret.label === DEFAULT_LABEL ? undefined : secret.label;
  const options = salt === undefined ? { label } : { label, salt };
  return formatEnvelope(seal(Buffer.from(data), secret.password, options));
}

function readEnvelope(text: string, place: Place | undefined): Envelope {
  try {
    return parseEnvelope(text);
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error;
    throw InvalidInput.at(place, `this is not valid vault data: ${error.message}`);
  }
}
