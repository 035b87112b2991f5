import { isDict, TrustedTemplate, type Value, VaultText } from '../../engine/values.ts';

/** Templates are shown as they are written, secrets as they are encrypted. */
export function asData(value: Value): Exclude<Value, TrustedTemplate | VaultText> {
  if (value instanceof TrustedTemplate) return value.text;
  if (value instanceof VaultText) return new Map([['__ansible_vault', value.ciphertext]]);
  if (Array.isArray(value)) return value.map(asData);
  if (!isDict(value)) return value as Exclude<Value, TrustedTemplate | VaultText>; // Both were handled above.
  return new Map([...value].map(([key, member]) => [key, asData(member)]));
}
