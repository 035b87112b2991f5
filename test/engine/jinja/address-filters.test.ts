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

describe('The filters of addresses', () => {
  for (const name of new Set(calls.map(([filter]) => filter))) {
    it(`give what ansible.utils.${name} gives`, () => {
      const misses = calls.flatMap(([filter, args, answer]) => {
        if (filter !== name) return [];
        const expected = answer.has('e') ? 'error' : dumpJson(answer.get('v') ?? null);
        const got = evaluate(filter, args);
        return got === expected ? [] : [`${dumpJson(args)}: expected ${expected}, got ${got}`];
      });
      expect(misses).to.deep.equal([]);
    });
  }
});
