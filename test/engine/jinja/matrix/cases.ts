import type { Call } from './call.ts';
import { FILTERS } from './filter-calls.ts';
import { GLOBALS, LOOKUPS, METHODS, TESTS } from './other-calls.ts';

/** What every input and every argument is replaced by: every type, the edges of each, and what does not exist. */
const VALUES: readonly string[] = [
  'none',
  'true',
  'false',
  '0',
  '7',
  '(-3)',
  '123456',
  '2.5',
  'big',
  'nan',
  'inf',
  "''",
  "' '",
  'text',
  'lines',
  "'42'",
  "'1.5'",
  "'yes'",
  "'/a/../b.c'",
  '[]',
  '[3, 1, 2]',
  "['b', 'a', 'B']",
  "[1, 'a', none]",
  '[[1, [2]], [3]]',
  '[nan, 1]',
  '{}',
  "{'b': 1, 'a': 2}",
  "{'a': {'b': 1}, 1: none}",
  "[{'k': 'x', 'v': 1}, {'k': 'y', 'v': 2}]",
  '(1, 2)',
  'range(3)',
  "('a' if false)",
  'omit',
  "('2020-01-02 03:04:05' | to_datetime)",
  "'a'.encode()",
  "('<a>' | escape)",
  'nosuch',
  'broken',
  '[1, nosuch]',
  "{'a': nosuch}",
  '[1, broken]',
];

/** `hidden` with the password `x`. */
const SEALED = `$ANSIBLE_VAULT;1.1;AES256
66623739373665363563386564306364346130396533356435316635666464393563326164386664
6661343935623739383639373866666634643837636439620a663564363737366437656165666566
35653236653336343432623961313530373830386363303866373837313862616338336235393732
6237303637646239330a633230646630613134346536666635616562313165326663326130626362
3863
`;

/** Variables that the cases use; texts with braces are templates. */
export const VARIABLES: Readonly<Record<string, unknown>> = {
  text: 'Hellö 42',
  lines: 'ab\n\n  c\td\n',
  big: '{{ 2 ** 70 }}',
  nan: "{{ 'nan' | float }}",
  inf: "{{ 'inf' | float }}",
  broken: '{{ 7 // 0 }}',
  sealed: SEALED,
  a: 1,
  names: ['bob', 'alice'],
};

/** Files that lookups and tests read. */
export const FILES: Readonly<Record<string, string>> = {
  'files/plain.txt': 'hello\nworld\n',
  'files/spaces.txt': '  lead and trail  \n\n',
  'files/glob/one.cfg': '1\n',
  'files/data.csv': 'web1,80,prod\nweb2,8080,dev\n"a,b",1,x\n',
  'files/conf.ini': '[main]\nuser = root\nport=22\n[other]\nuser=bob\nempty=\n',
  'files/tmpl.j2': "a={{ a }} names={{ names | join('+') }}\n",
};

type Write = (input: string, args: string) => string;

/** How a function of each kind is called. */
const FORMS: Readonly<Record<string, (name: string) => Write>> = {
  filters: (name) => (input, args) => `${input} | ${name}${args === '' ? '' : `(${args})`}`,
  tests: (name) => (input, args) => `${input} is ${name}${args === '' ? '' : `(${args})`}`,
  lookups: (name) => (input, args) => `q(${listed(`'${name}'`, input, args)})`,
  methods: (name) => (input, args) => `${input}.${name}(${args})`,
  globals: (name) => (input, args) => `${name}(${listed(input, args)})`,
};

function listed(...parts: readonly string[]): string {
  return parts.filter((part) => part !== '').join(', ');
}

const keyword = ([name, value]: readonly [string, string]) =>
  name === '*' ? value : `${name}=${value}`;

/** The arguments with one of them replaced, given by name where it has one. */
function replaced(call: Call, name: string, value: string): string {
  return listed(...Object.entries({ ...call.args, [name]: value }).map(keyword));
}

/** Calls that differ from a good one in how many arguments they have, and how they are given. */
function miscounted(call: Call, write: Write): readonly string[] {
  const entries = Object.entries(call.args);
  const values = entries.map(([, value]) => value).filter((value) => value !== '');
  const [first] = entries.filter(([name]) => name !== '*');
  const calls = entries.flatMap((entry, index) => [
    write(call.input, listed(...values.slice(0, index + 1))),
    write(call.input, listed(...entries.filter((other) => other !== entry).map(keyword))),
    write(call.input, keyword(entry)),
  ]);
  const doubled = first === undefined ? [] : [listed(...values, keyword(first))];
  const wrong = [...doubled, listed(...values, '1', '2'), listed(...values, 'nosuchoption=1')];
  return [
    write(call.input, ''),
    write('', ''),
    ...calls,
    ...wrong.map((args) => write(call.input, args)),
  ];
}

function variations(call: Call, write: Write): readonly string[] {
  const values = VALUES.filter((value) => !(call.without ?? []).includes(value));
  const good = listed(...Object.entries(call.args).map(keyword));
  const excluded = call.withoutInputs ?? [];
  const inputs = values
    .filter((value) => !excluded.includes(value))
    .flatMap((value) => [write(value, ''), write(value, good)]);
  const args = Object.keys(call.args).flatMap((name) =>
    values.map((value) => write(call.input, replaced(call, name, value))),
  );
  return [write(call.input, good), ...inputs, ...args, ...miscounted(call, write)];
}

const KINDS: Readonly<Record<string, readonly Call[]>> = {
  filters: FILTERS,
  tests: TESTS,
  lookups: LOOKUPS,
  methods: METHODS,
  globals: GLOBALS,
};

/** All cases of a function: expressions, whatever they give. */
export interface Row {
  readonly title: string;
  readonly expressions: readonly string[];
}

/** What is compared of an expression's value. */
function compared({ isLoose, isUnordered }: Call, expression: string): string {
  if (isLoose) return `((${expression}) | string) is string`;
  return isUnordered ? `(${expression}) | map('string') | sort(case_sensitive=true)` : expression;
}

function rowOf(kind: string, call: Call): Row {
  const form = FORMS[kind]?.(call.name);
  if (form === undefined) throw new Error(`no form for ${kind}`);
  const write: Write = (input, args) => form(input, listed(args, call.always ?? ''));
  const expressions = [...new Set(variations(call, write))];
  return {
    title: `${kind} ${call.name}: ${expressions[0]}`,
    expressions: expressions.map((expression) => compared(call, expression)),
  };
}

/** The matrix: the same rows at every call. */
export function matrix(): readonly Row[] {
  return Object.entries(KINDS).flatMap(([kind, calls]) => calls.map((call) => rowOf(kind, call)));
}
