import { expect } from 'chai';
import fc from 'fast-check';
import { isEqual, mergePatch } from '../../src/kubernetes/merge-patch.ts';

type Mapping = Readonly<Record<string, unknown>>;

/** What a server makes of a merge patch (RFC 7386). */
function applyPatch(target: unknown, patch: unknown): unknown {
  if (typeof patch !== 'object' || patch === null || Array.isArray(patch)) return patch;
  const isMapping = typeof target === 'object' && target !== null && !Array.isArray(target);
  const result: Record<string, unknown> = isMapping ? { ...target } : {};
  for (const [name, value] of Object.entries(patch)) {
    if (value === null) delete result[name];
    else result[name] = applyPatch(result[name], value);
  }
  return result;
}

describe('merge patch', () => {
  const cases: readonly (readonly [title: string, from: Mapping, to: Mapping, patch: unknown])[] = [
    ['of equal values is none', { a: { b: [1] } }, { a: { b: [1] } }, undefined],
    [
      'names only what differs',
      { a: 1, b: { c: 2, d: 3 } },
      { a: 1, b: { c: 2, d: 4 } },
      { b: { d: 4 } },
    ],
    ['removes what is gone', { a: 1, b: 2 }, { a: 1 }, { b: null }],
    ['replaces lists whole', { a: [1, 2] }, { a: [1, 3] }, { a: [1, 3] }],
    ['takes undefined as absent', { a: 1 }, { a: 1, b: undefined }, undefined],
    ['adds an empty object', {}, { a: {} }, { a: {} }],
    ['is blind to the order of members', { a: { x: 1, y: 2 } }, { a: { y: 2, x: 1 } }, undefined],
  ];
  for (const [title, from, to, patch] of cases) {
    it(title, () => {
      expect(mergePatch(from, to)).to.deep.equal(patch);
    });
  }

  it('brings any object to any other that has no null', () => {
    const value = fc.letrec((tie) => ({
      any: fc.oneof(
        { depthSize: 'small' },
        fc.integer(),
        fc.string(),
        fc.array(tie('any'), { maxLength: 3 }),
        fc.dictionary(fc.constantFrom('a', 'b', 'c'), tie('any')),
      ),
    })).any;
    const mapping = fc.dictionary(fc.constantFrom('a', 'b', 'c'), value);
    fc.assert(
      fc.property(mapping, mapping, (from, to) =>
        isEqual(applyPatch(from, mergePatch(from, to) ?? {}), to),
      ),
    );
  });
});
