import { createHash, randomInt } from 'node:crypto';
import { setImmediate as pause } from 'node:timers/promises';
import { hash as bcryptHash, decodeBase64, encodeBase64, hashSync } from 'bcryptjs';
import { type Builtin, define } from '../builtin.ts';
import { truthy } from '../compare.ts';
import { TemplateError } from '../errors.ts';
import { toInteger } from '../numbers.ts';
import type { Runtime, Val } from '../objects.ts';
import { shaCrypt } from '../sha-crypt.ts';
import { type SlowWork, slowly } from '../slow-work.ts';
import { requireText, textOf } from '../text.ts';

/** What distinguishes an algorithm of crypt(3); the numbers are those of passlib, which Ansible prefers. */
interface Algorithm {
  readonly saltSize: number;
  readonly rounds: number;
  /** The hash, which is to be made. */
  readonly hash: (
    password: string,
    salt: string,
    rounds: number,
    ident: string | undefined,
  ) => SlowWork;
}

const CRYPT_ALPHABET = './0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';

function shaAlgorithm(id: '5' | '6'): Algorithm['hash'] {
  return (password, salt, rounds) => {
    if (rounds < 1000 || rounds > 999_999_999)
      throw new TemplateError('rounds must be 1000 to 999999999');
    const steps = () => shaCrypt(id, password, { salt, rounds });
    return { now: () => atOnce(steps()), later: (signal) => inSteps(steps(), signal) };
  };
}

function atOnce(steps: Generator<undefined, string>): string {
  for (;;) {
    const { done, value } = steps.next();
    if (done === true) return value;
  }
}

async function inSteps(steps: Generator<undefined, string>, signal: AbortSignal): Promise<string> {
  for (;;) {
    const { done, value } = steps.next();
    if (done === true) return value;
    await pause(undefined, { signal });
  }
}

const BCRYPT_IDENTS: ReadonlySet<string> = new Set(['2', '2a', '2y', '2b']);

function bcrypt(password: string, salt: string, rounds: number, ident = '2b'): SlowWork {
  if (salt.length !== 22) throw new TemplateError('the salt of bcrypt has 22 characters');
  if (!BCRYPT_IDENTS.has(ident))
    throw new TemplateError(`ident must be one of ${[...BCRYPT_IDENTS].join(', ')}`);
  // The 22 characters hold 4 bits more than the 16 bytes of the salt; passlib clears those.
  const clean = encodeBase64(decodeBase64(salt, 16), 16);
  const setting = `$2b$${String(rounds).padStart(2, '0')}$${clean}`;
  const named = (hash: string) => hash.replace('$2b$', () => `$${ident}$`);
  return {
    now: () => named(hashSync(password, setting)),
    later: async () => named(await bcryptHash(password, setting)),
  };
}

function md5Crypt(password: string, salt: string): string {
  const md5 = (data: string) =>
    createHash('md5').update(Buffer.from(data, 'latin1')).digest().toString('latin1');
  const bytes = Buffer.from(password).toString('latin1');
  const inner = md5(bytes + salt + bytes);
  let start = `${bytes}$1$${salt}`;
  for (let left = bytes.length; left > 0; left -= 16) start += inner.slice(0, Math.min(16, left));
  for (let bits = bytes.length; bits > 0; bits >>= 1) start += bits & 1 ? '\0' : bytes.charAt(0);
  let digest = md5(start);
  for (let round = 0; round < 1000; round++) digest = md5(md5Round(round, bytes, salt, digest));
  return `$1$${salt}$${md5Text(digest)}`;
}

function md5Round(round: number, password: string, salt: string, digest: string): string {
  const [first, last] = round & 1 ? [password, digest] : [digest, password];
  return first + (round % 3 ? salt : '') + (round % 7 ? password : '') + last;
}

function md5Text(digest: string): string {
  const byte = (index: number) => digest.charCodeAt(index);
  const triples = [0, 1, 2, 3, 4].map(
    (i) => [byte(i), byte(i + 6), byte(i === 4 ? 5 : i + 12)] as const,
  );
  const words = triples.map(([high, middle, low]) =>
    crypt64((high << 16) | (middle << 8) | low, 4),
  );
  return words.join('') + crypt64(byte(11), 2);
}

function crypt64(value: number, length: number): string {
  return Array.from({ length }, (_, index) => CRYPT_ALPHABET[(value >> (6 * index)) & 63]).join('');
}

const SHA512: Algorithm = { saltSize: 16, rounds: 656_000, hash: shaAlgorithm('6') };
const SHA256: Algorithm = { saltSize: 16, rounds: 535_000, hash: shaAlgorithm('5') };
const MD5: Algorithm = {
  saltSize: 8,
  rounds: 1,
  hash: (password, salt) => {
    const now = () => md5Crypt(password, salt);
    return { now, later: async () => now() };
  },
};
const BCRYPT: Algorithm = { saltSize: 22, rounds: 12, hash: bcrypt };

const ALGORITHMS: ReadonlyMap<string, Algorithm> = new Map([
  ['sha512', SHA512],
  ['sha512_crypt', SHA512],
  ['sha256', SHA256],
  ['sha256_crypt', SHA256],
  ['md5', MD5],
  ['md5_crypt', MD5],
  ['blowfish', BCRYPT],
  ['bcrypt', BCRYPT],
]);

/** The algorithm of a name. Throws TemplateError on one that is not known. */
export function passwordAlgorithm(name: string): Algorithm {
  const algorithm = ALGORITHMS.get(name);
  if (algorithm !== undefined) return algorithm;
  throw new TemplateError(
    `there is no password hash named "${name}" (known: ${[...ALGORITHMS.keys()].join(', ')})`,
  );
}

export function randomSalt(length: number): string {
  return Array.from({ length }, () => CRYPT_ALPHABET[randomInt(64)]).join('');
}

function checkSalt(salt: string, { saltSize }: Algorithm): string {
  if (salt.length > saltSize)
    throw new TemplateError(`the salt is too large: it has ${saltSize} characters at most`);
  if (!/^[./0-9A-Za-z]*$/.test(salt))
    throw new TemplateError('the salt has characters that crypt does not take');
  return salt;
}

/**
 * The hash of a password as `vars_prompt` makes it; a salt size of 0 is the usual one of the algorithm.
 * @throws {TemplateError} on an algorithm or a salt that cannot be.
 */
export function hashPassword(
  password: string,
  name: string,
  given: {
    readonly salt: string | undefined;
    readonly saltSize: number;
    readonly signal: AbortSignal;
  },
): Promise<string> {
  const algorithm = passwordAlgorithm(name);
  const { rounds, saltSize } = algorithm;
  const salt = given.salt || randomSalt(given.saltSize || saltSize);
  return algorithm
    .hash(password, checkSalt(salt, algorithm), rounds, undefined)
    .later(given.signal);
}

function passwordHash(runtime: Runtime, args: readonly Val[]): string {
  const [password = null, hashType = 'sha512', ...options] = args;
  const [givenSalt = null, saltSize = null, rounds = null, ident = null] = options;
  // An empty salt is none.
  const salt = truthy(givenSalt) ? givenSalt : null;
  const algorithm = passwordAlgorithm(requireText(hashType, 'hashtype'));
  if (salt === null) runtime.requireImpure('password_hash without a salt', true);
  const size = saltSize === null ? algorithm.saltSize : toInteger(saltSize, 'salt_size');
  const seasoning = salt === null ? randomSalt(size) : checkSalt(textOf(salt), algorithm);
  const effort = rounds === null ? algorithm.rounds : toInteger(rounds, 'rounds');
  const mark = truthy(ident) ? requireText(ident, 'ident') : undefined;
  const secret = requireText(password, 'the password');
  const work = algorithm.hash(secret, seasoning, effort, mark);
  const key = JSON.stringify([hashType, secret, salt === null ? size : seasoning, effort, mark]);
  return slowly(key, work, salt === null);
}

/** The filter that hashes passwords for /etc/shadow. */
export const passwordFilters: readonly Builtin[] = [
  define(
    'password_hash',
    "value, hashtype='sha512', salt=None, salt_size=None, rounds=None, ident=None",
    (runtime, ...args) => passwordHash(runtime, args),
  ),
];
