import { expect } from 'chai';
import { askSource, maskSecrets } from '../../../../src/scaler/triggers/support/source.ts';
import { readSqlNumber } from '../../../../src/scaler/triggers/support/sql-number.ts';
import { messageOf } from '../../../support/scaler/trigger-cases.ts';

const source = { label: 'Store at db:1', secrets: ['p/w'] };

describe('askSource', () => {
  const FAILURES: readonly (readonly [string, unknown, string])[] = [
    ['an error', new Error('no such table'), 'Store at db:1: no such table'],
    ['a secret', new Error('p/w and p%2Fw are wrong'), 'Store at db:1: *** and *** are wrong'],
    ['no error', 'odd', 'Store at db:1: odd'],
    [
      'an error without words',
      Object.assign(new Error(''), { code: 'EODD' }),
      'Store at db:1: EODD',
    ],
    [
      'attempts at several addresses',
      new AggregateError([Object.assign(new Error('refused'), { code: 'ECONNREFUSED' })]),
      'Store at db:1: refused (nothing listens there: check host and port, and that the server runs)',
    ],
  ];
  for (const [title, error, message] of FAILURES) {
    it(`tells ${title}`, async () => {
      expect(await messageOf(askSource(source, () => Promise.reject(error)))).to.equal(message);
    });
  }

  it('keeps no cause, which may hold what is secret', async () => {
    const failure = await askSource(source, () => Promise.reject(new Error('p/w'))).catch((e) => e);
    expect(failure).not.to.have.property('cause');
  });

  it('ends the work when the caller gives up', async () => {
    const caller = new AbortController();
    let ended = false;
    const forever = () => new Promise<never>(() => {});
    const asking = askSource(source, forever, caller.signal, () => {
      ended = true;
    });
    caller.abort(new Error('too late'));
    expect(await messageOf(asking)).to.equal('too late');
    expect(ended).to.equal(true);
  });
});

describe('maskSecrets', () => {
  it('masks the longer of two secrets whole', () => {
    expect(maskSecrets('at secret-1', ['secret', 'secret-1', '', undefined])).to.equal('at ***');
  });
});

describe('readSqlNumber', () => {
  for (const [cell, value] of [
    ['12', 12],
    ['-1.5e3', -1500],
    [' 7.00 ', 7],
  ] as const) {
    it(`reads "${cell}"`, () => expect(readSqlNumber([[cell, 'x'], ['9']])).to.equal(value));
  }
  const WRONG: readonly (readonly [string, readonly (readonly (string | null)[])[], RegExp])[] = [
    ['no row', [], /no row/],
    ['no column', [[]], /no column/],
    ['NULL', [[null]], /NULL/],
    ['words', [['many']], /"many", no number/],
    ['NaN', [['NaN']], /no number/],
    ['nothing', [['']], /no number/],
  ];
  for (const [title, rows, message] of WRONG) {
    it(`takes ${title} for an error and not for 0`, () => {
      expect(() => readSqlNumber(rows)).to.throw(message);
    });
  }
});
