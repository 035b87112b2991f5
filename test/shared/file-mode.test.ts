import { readFileSync } from 'node:fs';
import { expect } from 'chai';
import fc from 'fast-check';
import { computeMode, formatMode, isSymbolicMode } from '../../src/shared/file-mode.ts';

/** Recorded from ansible-core 2.19: clause, then mode before, whether a directory, umask, mode after. */
const RECORDED = JSON.parse(
  readFileSync(new URL('data/symbolic-modes.json', import.meta.url), 'utf8'),
) as Record<string, [number, boolean, number, number][]>;

const FILE = { current: 0o644, isDirectory: false, umask: 0o022 };

describe('file mode', () => {
  for (const [clause, rows] of Object.entries(RECORDED)) {
    it(`computes "${clause}" as Ansible does`, () => {
      for (const [current, isDirectory, umask, expected] of rows) {
        const mode = computeMode(clause, { current, isDirectory, umask });
        const before = `${formatMode(current)} directory=${isDirectory} umask=${formatMode(umask)}`;
        expect(formatMode(mode), before).to.equal(formatMode(expected));
      }
    });
  }

  it('takes a number as it is and digits as octal', () => {
    expect(computeMode(420, FILE)).to.equal(0o644);
    for (const text of ['0600', '600', '0o600', ' 600 ']) {
      expect(computeMode(text, FILE), text).to.equal(0o600);
    }
    expect(computeMode('4755', FILE)).to.equal(0o4755);
  });

  for (const bad of [
    'u=q',
    'foo',
    'r',
    'z+x',
    'ao=r',
    'ua+x',
    'rw-r--r--',
    '0888',
    'u=rw,,g=r',
    true,
    null,
    -1,
    1.5,
  ]) {
    it(`refuses ${JSON.stringify(bad)} and quotes it`, () => {
      expect(() => computeMode(bad, FILE)).to.throw(SyntaxError, `"${bad}"`);
    });
  }

  it('knows which modes build on the one before', () => {
    expect(['u+x', 'a=r', 'g-w'].every(isSymbolicMode)).to.equal(true);
    expect(['0644', ' 644', 420].some(isSymbolicMode)).to.equal(false);
  });

  const clause = fc
    .tuple(
      fc.constantFrom('u', 'g', 'o', 'a', 'ug', 'go', ''),
      fc.constantFrom('+', '-', '='),
      fc.constantFrom('r', 'w', 'x', 'X', 'rw', 'rwx', 's', 't', 'u', 'g', 'o', ''),
    )
    .map((parts) => parts.join(''));
  const context = fc.record({
    current: fc.integer({ min: 0, max: 0o7777 }),
    isDirectory: fc.boolean(),
    umask: fc.integer({ min: 0, max: 0o777 }),
  });

  it('stays within the permission bits', () => {
    const symbolic = fc.array(clause, { minLength: 1, maxLength: 4 }).map((all) => all.join(','));
    fc.assert(
      fc.property(symbolic, context, (text, given) => {
        const mode = computeMode(text, given);
        return Number.isInteger(mode) && mode >= 0 && mode <= 0o7777;
      }),
    );
  });

  it('changes nothing when a clause that sets or removes bits of its own is applied again', () => {
    const settled = clause.filter((text) => !/[+=-][Xugo]$/.test(text));
    fc.assert(
      fc.property(settled, context, (text, given) => {
        const once = computeMode(text, given);
        return computeMode(text, { ...given, current: once }) === once;
      }),
    );
  });

  it('reads back what it formats', () => {
    fc.assert(
      fc.property(fc.integer({ min: 0, max: 0o7777 }), (mode) => {
        return computeMode(formatMode(mode), FILE) === mode;
      }),
    );
  });
});
