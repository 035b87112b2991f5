import { readFileSync } from 'node:fs';
import { expect } from 'chai';
import { Jinja, TemplateError } from '../../../src/engine/jinja/jinja.ts';
import { dumpJson, parseJson } from '../../../src/engine/jinja/json.ts';
import type { Value } from '../../../src/engine/values.ts';

/** A recorded call of a filter of ansible.utils: its name, its arguments, and what it gave. */
type Call = readonly [string, readonly Value[], ReadonlyMap<Value, Value>];

// The file is a list of such triples.
const calls = parseJson(
  readFileSync(new URL('address-calls.json', import.meta.url), 'utf8'),
) as unknown as readonly Call[];
const jinja = new Jinja();

function evaluate(name: string, args: readonly Value[]): string {
  const variables = new Map(args.map((value, index) => [`a${index}`, value]));
  const scope = { get: (key: string) => variables.get(key), names: () => variables.keys() };
  const rest = args.slice(1).map((_, index) => `a${index + 1}`);
  try {
    return dumpJson(
      jinja.evaluate(`a0 | ansible.utils.${name}(${rest.join(', ')})`, scope, { searchPath: [] }),
    );
  } catch (error) {
    if (error instanceof TemplateError) return 'error';
    throw error;
  }
}

/** The recorded calls of a filter that give something else here. */
function misses(name: string): readonly string[] {
  const own = calls.filter(([filter]) => filter === name);
  const results = own.map(([, args, answer]) => ({
    args,
    expected: answer.has('e') ? 'error' : dumpJson(answer.get('v') ?? null),
    got: evaluate(name, args),
  }));
  return results
    .filter(({ expected, got }) => expected !== got)
    .map(({ args, expected, got }) => `${dumpJson(args)}: expected ${expected}, got ${got}`);
}

describe('The filters of addresses', () => {
  for (const name of new Set(calls.map(([filter]) => filter))) {
    it(`give what ansible.utils.${name} gives`, () => {
      expect(misses(name)).to.deep.equal([]);
    });
  }
});
