import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { expect } from 'chai';
import { loadInventory } from '../../../src/engine/inventory/inventory.ts';
import { InvalidInput } from '../../../src/shared/errors.ts';

interface Recorded {
  /** What each pattern selects from order.ini and tree.yml: hosts, or the refusal's words. */
  readonly patterns: Readonly<Record<string, readonly string[] | string>>;
}

const DATA = fileURLToPath(new URL('data/', import.meta.url));
const { patterns }: Recorded = JSON.parse(readFileSync(`${DATA}recorded.json`, 'utf8'));

describe('host patterns, as ansible-core answers', () => {
  const inventory = loadInventory([`${DATA}order.ini`, `${DATA}tree.yml`]);

  for (const [pattern, expected] of Object.entries(patterns)) {
    if (typeof expected === 'string') {
      it(`refuse ${pattern}`, () => {
        expect(() => inventory.select(pattern)).to.throw(InvalidInput);
      });
    } else {
      // Ansible leaves the order of groups far from the top to chance, so that only members are compared.
      it(`select with ${JSON.stringify(pattern)}`, () => {
        expect(inventory.select(pattern)).to.have.members(expected);
      });
    }
  }

  for (const pattern of [
    'y*',
    'y[0-1]',
    'all[1:3]',
    'q1:v1',
    'a[2:]',
    'both:c',
    'a:&d',
    'all:!z',
    'b1,b2',
  ]) {
    it(`keep inventory order with ${pattern}`, () => {
      expect(inventory.select(pattern)).to.deep.equal(patterns[pattern]);
    });
  }
});
