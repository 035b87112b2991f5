import { isOwnText } from '../../engine/own-text.ts';
import { isDict, TrustedTemplate, type Value, VaultText } from '../../engine/values.ts';

/** How values of an inventory are shown that are no plain data. */
export interface Marks {
  readonly vault: (vault: VaultText) => Value;
  /** A text that is not to be rendered: it did not come from the user's own files, or is marked there. */
  readonly unsafe: (text: string) => Value;
}

/** In JSON, in the words of Ansible, so that what reads it knows a secret and what is not to be rendered. */
export const JSON_MARKS: Marks = {
  vault: ({ ciphertext }) => new Map([['__ansible_vault', ciphertext]]),
  unsafe: (text) => new Map([['__ansible_unsafe', text]]),
};

/** The variables of a single host are shown without what marks texts that are not to be rendered. */
export const HOST_MARKS: Marks = { ...JSON_MARKS, unsafe: (text) => text };

/** In YAML secrets have a tag. */
export const YAML_MARKS: Marks = { ...HOST_MARKS, vault: (vault) => vault };

/** Templates are shown as they are written, secrets as they are encrypted. */
export function asData(value: Value, marks: Marks): Exclude<Value, TrustedTemplate> {
  if (value instanceof TrustedTemplate) return value.text;
  if (typeof value === 'string' && !isOwnText(value)) return unmarked(marks.unsafe(value));
  if (value instanceof VaultText) return unmarked(marks.vault(value));
  if (Array.isArray(value)) return value.map((item) => asData(item, marks));
  if (!isDict(value)) return unmarked(value);
  return new Map([...value].map(([key, member]) => [key, asData(member, marks)]));
}

/** Nothing that is marked holds a template. */
function unmarked(value: Value): Exclude<Value, TrustedTemplate> {
  return value as Exclude<Value, TrustedTemplate>;
}
