import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, isAbsolute, join } from 'node:path';
import { type Builtin, define } from '../builtin.ts';
import { TemplateError } from '../errors.ts';
import { passwordAlgorithm, randomSalt } from '../filters/passwords.ts';
import { iterate } from '../iterate.ts';
import { toInteger } from '../numbers.ts';
import { isList, isMap, type Runtime, type Val } from '../objects.ts';
import { PyRandom } from '../py-random.ts';
import { expandHome } from '../search.ts';
import { requireText, textOf } from '../text.ts';
import { parseKeyValues } from './key-values.ts';

const LOWER = 'abcdefghijklmnopqrstuvwxyz';
const DIGITS = '0123456789';

/** The constants of Python's string module. */
const CHARACTER_SETS: ReadonlyMap<string, string> = new Map([
  ['ascii_lowercase', LOWER],
  ['ascii_uppercase', LOWER.toUpperCase()],
  ['ascii_letters', LOWER + LOWER.toUpperCase()],
  ['digits', DIGITS],
  ['hexdigits', `${DIGITS}abcdefABCDEF`],
  ['octdigits', '01234567'],
  ['punctuation', '!"#$%&\'()*+,-./:;<=>?@[\\]^_`{|}~'],
]);

const OPTIONS: ReadonlySet<string> = new Set(['length', 'encrypt', 'chars', 'ident', 'seed']);

interface Request {
  readonly path: string;
  readonly length: number;
  readonly encrypt: string | undefined;
  readonly chars: string;
  readonly ident: string | undefined;
  readonly seed: string | undefined;
}

function optionText(value: Val | undefined): string | undefined {
  return value === undefined || value === null ? undefined : textOf(value);
}

function characterList(value: Val | undefined): string {
  const names =
    value === undefined || value === null ? ['ascii_letters', 'digits', '.,:-_'] : splitSets(value);
  return names
    .map((name) => CHARACTER_SETS.get(name) ?? name)
    .join('')
    .replace(/["']/g, '');
}

/** A doubled comma stands for the comma itself. */
function splitSets(value: Val): readonly string[] {
  if (isList(value)) return value.map(textOf);
  const text = textOf(value);
  const sets = text
    .replaceAll(',,', ',')
    .split(',')
    .filter((set) => set !== '');
  return text.includes(',,') ? [...sets, ','] : sets;
}

function parseTerm(term: string, options: Val): Request {
  const { words, pairs } = parseKeyValues(term, OPTIONS);
  const given = new Map<Val, Val>([...(isMap(options) ? options : []), ...pairs]);
  const unknown = [...given.keys()].find((key) => !OPTIONS.has(String(key)));
  if (unknown !== undefined)
    throw new TemplateError(`the password lookup has no option "${String(unknown)}"`);
  const length = given.get('length') ?? 20;
  return {
    path: words.join(' '),
    length: typeof length === 'string' ? Number(length) : toInteger(length, 'length'),
    encrypt: optionText(given.get('encrypt')),
    chars: characterList(given.get('chars')),
    ident: optionText(given.get('ident')),
    seed: optionText(given.get('seed')),
  };
}

interface Stored {
  readonly password: string;
  readonly salt: string | undefined;
  readonly ident: string | undefined;
}

function generate(runtime: Runtime, { chars, length, seed }: Request): string {
  const points = Array.from(chars);
  if (points.length === 0 || !Number.isInteger(length))
    throw new TemplateError('length or chars of password is not usable');
  runtime.checkItems(length);
  const random = new PyRandom(seed);
  return Array.from({ length: Math.max(0, length) }, () => random.choice(points)).join('');
}

function readStored(path: string): Stored | undefined {
  if (!existsSync(path)) return undefined;
  const text = readFileSync(path, 'utf8').trimEnd();
  const [, password = text, salt, ident] =
    /^([\s\S]*?) salt=(\S+)(?: ident=(\S+))?$/.exec(text) ?? [];
  return { password, salt, ident };
}

function store(path: string, { password, salt, ident }: Stored): void {
  const marks =
    (salt === undefined ? '' : ` salt=${salt}`) + (ident === undefined ? '' : ` ident=${ident}`);
  mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
  writeFileSync(path, `${password}${marks}\n`, { mode: 0o600 });
}

function password(runtime: Runtime, term: Val, options: Val): string {
  const request = parseTerm(requireText(term, 'the term of password'), options);
  const throwaway = request.path === '/dev/null';
  const path = absolute(runtime, request.path);
  const known = throwaway ? undefined : readStored(path);
  const plain = known?.password ?? generate(runtime, request);
  const algorithm = request.encrypt === undefined ? undefined : passwordAlgorithm(request.encrypt);
  const salt = known?.salt ?? (algorithm && randomSalt(algorithm.saltSize));
  const stored = { password: plain, salt, ident: request.ident ?? known?.ident };
  const isNew = known === undefined || known.salt !== salt;
  if (isNew && !throwaway) store(path, stored);
  return algorithm === undefined
    ? plain
    : algorithm.hash(plain, salt ?? '', algorithm.rounds, stored.ident);
}

function absolute(runtime: Runtime, name: string): string {
  const path = expandHome(name);
  if (path === '') throw new TemplateError('the password lookup needs the path of a file');
  return isAbsolute(path) ? path : join(runtime.host.searchPath[0] ?? '.', path);
}

/** The password lookup: a password that is made once and kept in a file. */
export const passwordLookup: Builtin = define(
  'password',
  'terms, **options',
  (runtime, terms, options) =>
    iterate(terms, runtime).map((term) => password(runtime, term, options)),
  { impure: true },
);
