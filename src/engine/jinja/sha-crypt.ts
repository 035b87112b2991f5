/** The password hashes `$5$` and `$6$` of crypt(3), in steps, so that other work can go on between them. */
import { hash } from 'node:crypto';

const ALPHABET = './0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';
const DEFAULT_ROUNDS = 5000;
const MAX_SALT = 16;
/** Rounds between two steps: a few milliseconds. */
const STEP_ROUNDS = 2000;

interface Variant {
  readonly algorithm: 'sha256' | 'sha512';
  /** Bytes of the digest. */
  readonly size: number;
  /** How the place of the first byte of a group goes on from group to group. */
  readonly stride: number;
}

const VARIANTS: Readonly<Record<'5' | '6', Variant>> = {
  5: { algorithm: 'sha256', size: 32, stride: 21 },
  6: { algorithm: 'sha512', size: 64, stride: 22 },
};

/** The hash, at the end of its steps. */
export function* shaCrypt(
  id: '5' | '6',
  password: string,
  { salt, rounds }: { readonly salt: string; readonly rounds: number },
): Generator<undefined, string> {
  const variant = VARIANTS[id];
  const digest = (...parts: readonly Buffer[]) =>
    hash(variant.algorithm, Buffer.concat(parts), 'buffer');
  const [key, grain] = [Buffer.from(password), Buffer.from(salt.slice(0, MAX_SALT))];
  const mixed = digest(key, grain, ...bits(key, digest(key, grain, key)));
  const p = repeated(digest(...Array<Buffer>(key.length).fill(key)), key.length);
  const s = repeated(digest(...Array<Buffer>(16 + (mixed[0] ?? 0)).fill(grain)), grain.length);
  let sum = mixed;
  for (let round = 0; round < rounds; round++) {
    if (round % STEP_ROUNDS === STEP_ROUNDS - 1) yield;
    const [first, last] = round % 2 === 1 ? [p, sum] : [sum, p];
    const middle = [...(round % 3 ? [s] : []), ...(round % 7 ? [p] : [])];
    sum = digest(first, ...middle, last);
  }
  const setting = rounds === DEFAULT_ROUNDS ? '' : `rounds=${rounds}$`;
  return `$${id}$${setting}${grain.toString()}$${encoded(sum, variant)}`;
}

/** The password and its digest once more, as the bits of the password's length say. */
function bits(key: Buffer, digest: Buffer): Buffer[] {
  const parts = [repeated(digest, key.length)];
  for (let length = key.length; length > 0; length >>= 1) {
    parts.push(length % 2 === 1 ? digest : key);
  }
  return parts;
}

function repeated(bytes: Buffer, length: number): Buffer {
  return Buffer.alloc(length, bytes);
}

/** Three bytes give four letters; the places of the three lie a third of the digest apart and turn. */
function encoded(digest: Buffer, { size, stride }: Variant): string {
  const third = Math.floor(size / 3);
  const groups = Array.from({ length: third }, (_, i) => {
    const start = (i * stride) % (third * 3);
    const places = [0, 1, 2].map((n) => (start + n * third) % (third * 3));
    return letters(
      places.map((place) => digest[place] ?? 0),
      4,
    );
  });
  const rest = size === 64 ? [0, 0, digest[63] ?? 0] : [0, digest[31] ?? 0, digest[30] ?? 0];
  return groups.join('') + letters(rest, size === 64 ? 2 : 3);
}

function letters([high = 0, middle = 0, low = 0]: readonly number[], count: number): string {
  const word = (high << 16) | (middle << 8) | low;
  return Array.from({ length: count }, (_, i) => ALPHABET[(word >> (6 * i)) & 63]).join('');
}
