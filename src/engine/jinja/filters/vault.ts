import { open, seal } from '../../vault/cipher.ts';
import { formatEnvelope, parseEnvelope } from '../../vault/envelope.ts';
import { type Builtin, define } from '../builtin.ts';
import { truthy } from '../compare.ts';
import { requireDefined } from '../defined-parts.ts';
import { TemplateError } from '../errors.ts';
import type { Runtime, Val } from '../objects.ts';
import { requireText, textOf } from '../text.ts';

/** Whatever it is, its text counts. Throws TemplateError where it is empty. */
function saltText(salt: Val): string {
  if (!truthy(salt)) throw new TemplateError('the salt must not be empty');
  return textOf(salt);
}

function encrypt(runtime: Runtime, value: Val, secret: Val, salt: Val, label: Val): string {
  if (salt === null) runtime.requireImpure('vault without a salt');
  const id = textOf(label);
  const options = {
    label: id === 'default' ? undefined : id,
    ...(salt === null ? {} : { salt: Buffer.from(saltText(salt)) }),
  };
  const data = Buffer.from(requireText(value, 'the data to encrypt'));
  return formatEnvelope(seal(data, requireText(secret, 'the secret'), options));
}

function decrypt(value: Val, secret: Val): string {
  const text = requireText(value, 'the vault data');
  if (!text.startsWith('$ANSIBLE_VAULT')) return text;
  const password = requireText(secret, 'the secret');
  const opened = reading(() => open(parseEnvelope(text), password));
  if (opened === undefined) throw new TemplateError('the secret does not open the vault data');
  return textOf(opened.toString('utf8'));
}

function reading<T>(read: () => T): T {
  try {
    return read();
  } catch (cause) {
    if (!(cause instanceof SyntaxError)) throw cause;
    throw new TemplateError(`the text is no vault data: ${cause.message}`, { cause });
  }
}

/** Filters of vault data. */
export const vaultFilters: readonly Builtin[] = [
  define(
    'vault',
    "value, secret, salt=None, vault_id='filter_default', wrap_object=False, vaultid=None",
    (runtime, ...args) => {
      const [value = null, secret = null, salt = null, label = null, , oldLabel = null] = args;
      return encrypt(runtime, value, secret, salt, oldLabel ?? label);
    },
  ),
  define(
    'unvault',
    "value, secret, vault_id='filter_default', vaultid=None",
    (_runtime, value, secret, label) => {
      requireDefined(label ?? null);
      return decrypt(value, secret);
    },
  ),
];
