import { expect } from 'chai';
import { Float } from '../../src/engine/values.ts';
import { coerce, Unfit } from '../../src/shared/coerce.ts';
import {
  boolean,
  bytes,
  choice,
  dict,
  type Field,
  integer,
  list,
  number,
  raw,
  string,
} from '../../src/shared/schema.ts';

const FIELDS: Readonly<Record<string, Field<unknown>>> = {
  str: string('x'),
  choice: choice(['yes', 'no', 'auto'], 'x'),
  bool: boolean('x'),
  int: integer('x'),
  float: number('x'),
  bytes: bytes('x'),
  list: list(string('x'), 'x'),
  dict: dict('x'),
  raw: raw('x'),
};

/** Kind, what is written, what ansible-core 2.19 makes of it. */
const ACCEPTED: readonly (readonly [string, unknown, unknown])[] = [
  ['str', 'text', 'text'],
  ['str', true, 'True'],
  ['str', false, 'False'],
  ['str', 8080, '8080'],
  ['str', new Float(1), '1.0'],
  ['str', 1.5, '1.5'],
  ['str', 12345678901234567890n, '12345678901234567890'],
  ['choice', true, 'yes'],
  ['choice', false, 'no'],
  ['choice', 'auto', 'auto'],
  ...['yes', 'on', '1', 'true', 't', 'y', 'Y', 'TRUE', 'on ', 1, new Float(1), true].map(
    (each) => ['bool', each, true] as const,
  ),
  ...['no', 'off', '0', 'false', 'f', 'n', 0, false].map((each) => ['bool', each, false] as const),
  ['int', '10', 10],
  ['int', ' 5 ', 5],
  ['int', '1.0', 1],
  ['int', '1_000', 1000],
  ['int', '010', 10],
  ['int', '-3', -3],
  ['int', new Float(2), 2],
  ['float', '1.5', 1.5],
  ['float', 5, 5],
  ['bytes', '10M', 10 * 1024 ** 2],
  ['bytes', '1.5K', 1536],
  ['bytes', '10MB', 10 * 1024 ** 2],
  ['bytes', 10, 10],
  ['list', 'a, b,c', ['a', 'b', 'c']],
  ['list', '', ['']],
  ['list', 1, ['1']],
  ['list', true, ['True']],
  ['list', ['a,b'], ['a,b']],
  ['dict', '{"a": 1}', { a: 1 }],
  ['dict', "a=b, c='d e'", { a: 'b', c: 'd e' }],
  ['dict', 'a=1 b=2', { a: '1', b: '2' }],
  ['dict', 'a=b=c', { a: 'b=c' }],
  ['dict', 'a=\'x, y\',b="q\\"r"', { a: 'x, y', b: 'q"r' }],
  ['dict', 'a=b,,c=d', { a: 'b', c: 'd' }],
  ['dict', new Map([['a', 1]]), { a: 1 }],
  ['raw', null, null],
];

const REFUSED: readonly (readonly [string, unknown])[] = [
  ['str', ['a']],
  ['str', { a: 1 }],
  ['bool', 'maybe'],
  ['bool', 2],
  ['bool', ''],
  ['bool', null],
  ['int', '5.5'],
  ['int', '0x10'],
  ['int', 'x'],
  ['int', ['1']],
  ['float', 'x'],
  ['bytes', '10Mb'],
  ['bytes', 'x'],
  ['bytes', ''],
  ['list', { a: 1 }],
  ['dict', 'a'],
  ['dict', ''],
  ['dict', '[1]'],
  ['dict', 'k = v'],
  ['dict', ['a']],
];

function read(kind: string, value: unknown): unknown {
  return coerce(FIELDS[kind] ?? raw('x'), value);
}

describe('argument conversion', () => {
  for (const [kind, written, expected] of ACCEPTED) {
    it(`reads ${typeof written} ${JSON.stringify(String(written))} as ${kind}`, () => {
      expect(read(kind, written)).to.deep.equal(expected);
    });
  }
  for (const [kind, written] of REFUSED) {
    it(`refuses ${JSON.stringify(written)} as ${kind}`, () => {
      expect(() => read(kind, written)).to.throw(Unfit);
    });
  }
});
