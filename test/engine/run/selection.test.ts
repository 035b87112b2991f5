import { expect } from 'chai';
import { batchSizes, orderHosts } from '../../../src/engine/run/batch-sizes.ts';
import { isSelected } from '../../../src/engine/run/selection.ts';
import type { Value } from '../../../src/engine/values.ts';
import { InvalidInput } from '../../../src/shared/errors.ts';

/** Tags of a task, in the columns of the table. */
const TASKS: Readonly<Record<string, readonly string[]>> = {
  untagged: [],
  x: ['x'],
  always: ['always'],
  never: ['never'],
  'never,x': ['never', 'x'],
};

/** --tags, --skip-tags, and whether the task of each column runs. */
const TABLE: readonly (readonly [tags: string, skip: string, runs: string])[] = [
  ['', '', 'yes yes yes - -'],
  ['all', '', 'yes yes yes - -'],
  ['x', '', '- yes yes - yes'],
  ['tagged', '', '- yes yes - -'],
  ['untagged', '', 'yes - yes - -'],
  ['never', '', '- - yes yes yes'],
  ['all,never', '', 'yes yes yes yes yes'],
  ['', 'x', 'yes - yes - -'],
  ['', 'always', 'yes yes - - -'],
  ['', 'all', '- - yes - -'],
  ['', 'tagged', 'yes - - - -'],
  ['x', 'x', '- - yes - -'],
];

describe('the choice of tasks by tags', () => {
  for (const [tags, skip, runs] of TABLE) {
    it(`with --tags ${tags || '(none)'} --skip-tags ${skip || '(none)'}`, () => {
      const words = (text: string) => (text === '' ? [] : text.split(','));
      const chosen = Object.values(TASKS).map((own) => isSelected(own, words(tags), words(skip)));
      expect(chosen.map((each) => (each ? 'yes' : '-')).join(' ')).to.equal(runs);
    });
  }
});

describe('the batches of serial', () => {
  const SIZES: readonly (readonly [serial: Value | undefined, hosts: number, sizes: number[]])[] = [
    [undefined, 5, [5]],
    [0, 5, [5]],
    [-1, 5, [5]],
    [2, 5, [2]],
    ['2', 5, [2]],
    ['30%', 10, [3]],
    ['30%', 5, [1]],
    ['1%', 5, [1]],
    ['100%', 5, [5]],
    [[1, 2, '50%'], 10, [1, 2, 5]],
  ];
  for (const [serial, hosts, sizes] of SIZES) {
    it(`${JSON.stringify(serial) ?? 'none'} of ${hosts} hosts are ${sizes.join(', ')}`, () => {
      expect(batchSizes(serial, hosts)).to.deep.equal(sizes);
    });
  }

  it('refuse what is no number', () => {
    expect(() => batchSizes('some', 3)).to.throw(InvalidInput, '"some" is neither a number nor');
  });
});

describe('the order of hosts', () => {
  const hosts = ['b', 'c', 'a'];
  const ORDERS: Readonly<Record<string, string>> = {
    inventory: 'b c a',
    reverse_inventory: 'a c b',
    sorted: 'a b c',
    reverse_sorted: 'c b a',
  };
  for (const [order, expected] of Object.entries(ORDERS)) {
    it(`${order} is ${expected}`, () => {
      expect(orderHosts(hosts, order).join(' ')).to.equal(expected);
    });
  }

  it('shuffle keeps every host', () => {
    expect(orderHosts(hosts, 'shuffle').toSorted()).to.deep.equal(['a', 'b', 'c']);
  });

  it('refuses another name', () => {
    expect(() => orderHosts(hosts, 'random')).to.throw(InvalidInput, '"random" is not one of');
  });
});
