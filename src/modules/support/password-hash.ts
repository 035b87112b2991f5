/** Hashes of passwords as crypt(3) makes them. */
import { table } from '../../shared/table.ts';

/** Values that stand for no password at all. */
const NO_PASSWORD = ['*', '!', '*************'];

/** Length of the last field, by the number of the method. */
const HASH_LENGTHS: Readonly<Record<string, number>> = table({ '1': 22, '5': 43, '6': 86 });

/** Whether a text is probably a password in the clear. A hash is of the form `$method$salt$hash`. */
export function looksUnhashed(password: string): boolean {
  if (NO_PASSWORD.includes(password)) return false;
  if (/[:*!]/.test(password)) return true;
  const fields = password.split('$');
  if (fields.length < 3) return true;
  const [, method = ''] = fields;
  const hash = fields.at(-1) ?? '';
  const length = HASH_LENGTHS[method];
  return !/^[a-zA-Z0-9./=]*$/.test(hash) || (length !== undefined && hash.length !== length);
}
