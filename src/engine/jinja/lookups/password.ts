import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, isAbsolute, join } from 'node:path';
import { expandHome } from '../../../shared/home-path.ts';
import { makeDirectories } from '../../../shared/make-directories.ts';
import { type Builtin, define } from '../builtin.ts';
import { truthy } from '../compare.ts';
import { TemplateError } from '../errors.ts';
import { passwordAlgorithm, randomSalt } from '../filters/passwords.ts';
import { iterate } from '../iterate.ts';
import { isMap, isText, type Runtime, type Val } from '../objects.ts';
import { PyRandom } from '../py-random.ts';
import { requireText, textOf } from '../text.ts';
import { parseKeyValues } from './key-values.ts';
import { integerOf, stringOf, stringsOf } from './option-types.ts';

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

function optionText(options: ReadonlyMap<Val, Val>, name: string): string | undefined {
  const value = options.get(name);
  return value === undefined || value === null ? undefined : stringOf(value, name);
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
  if (!isText(value)) return stringsOf(value, 'chars').map(textOf);
  const text = textOf(value).trim();
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
  return {
    path: words.join(' '),
    length: integerOf(given.get('length') ?? 20, 'length of password'),
    // An algorithm that is empty is none.
    encrypt: truthy(given.get('encrypt') ?? null) ? optionText(given, 'encrypt') : undefined,
    chars: characterList(given.get('chars')),
    ident: optionText(given, 'ident'),
    seed: optionText(given, 'seed'),
  };
}

interface Stored {
  readonly password: string;
  readonly salt: string | undefined;
  readonly ident: string | undefined;
}

function generate(runtime: Runtime, { chars, length, seed }: Request): string {
  const points = Array.from(chars);
  if (points.length === 0) throw new TemplateError('chars of password has no character');
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
  makeDirectories(dirname(path), 0o700);
  writeFileSync(path, `${password}${marks}\n`, { mode: 0o600 });
}

function password(runtime: Runtime, term: Val, options: Val): string {
  const request = parseTerm(requireText(term, 'the term of password'), options);
  const throwaway = request.path === '/dev/null';
  runtime.requireImpure('password', !throwaway);
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
    : algorithm.hash(plain, salt ?? '', algorithm.rounds, stored.ident).now();
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
);
