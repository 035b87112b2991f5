/**
 * What kubernetes.core 6.2.0 makes of the same data: recorded from its own functions (apply, diff_objects, hide_fields,
 * LabelSelectorFilter, the predicates of waiting, generate_hash).
 */
import { readFileSync } from 'node:fs';
import { expect } from 'chai';
import { withHash } from '../../src/modules/support/kubernetes/append-hash.ts';
import { hideFields } from '../../src/modules/support/kubernetes/hidden-fields.ts';
import {
  type Json,
  memberOf,
  overlaid,
  withoutNulls,
} from '../../src/modules/support/kubernetes/json.ts';
import { matchesLabels } from '../../src/modules/support/kubernetes/label-filter.ts';
import { diffObjects, isChange } from '../../src/modules/support/kubernetes/object-diff.ts';
import { type Condition, isReady } from '../../src/modules/support/kubernetes/readiness.ts';
import { applyPatch } from '../../src/modules/support/kubernetes/three-way-merge.ts';

interface Recorded {
  readonly apply: readonly { name: string; actual: Json; desired: Json; after: Json }[];
  readonly diff: readonly {
    before: Json;
    after: Json;
    changed: boolean;
    diff: { before: Json; after: Json } | null;
  }[];
  readonly hide: readonly { fields: string[]; object: Json; hidden: Json }[];
  readonly labels: readonly { selectors: string[]; labels: Json | null; matches: boolean }[];
  readonly ready: readonly { object: Json; condition: Condition | null; ready: boolean }[];
  readonly hash: readonly { object: Json; hash: string }[];
}

const recorded = JSON.parse(
  readFileSync(new URL('data/kubernetes-core.json', import.meta.url), 'utf8'),
) as Recorded; // As it was recorded.

describe('objects of a cluster, as kubernetes.core has them', () => {
  for (const { name, actual, desired, after } of recorded.apply) {
    it(`are applied: ${name}`, () => {
      const patch = applyPatch(actual, desired);
      expect(withoutNulls(overlaid(actual, patch ?? {}))).to.deep.equal(after);
    });
  }

  for (const [i, { before, after, changed, diff }] of recorded.diff.entries()) {
    it(`are compared (${i + 1})`, () => {
      const found = diffObjects(before, after);
      expect(isChange(found), 'changed').to.equal(changed);
      expect(sorted(found ?? null)).to.deep.equal(sorted(diff));
    });
  }

  for (const { fields, object, hidden } of recorded.hide) {
    it(`are shown without ${fields.join(', ')}`, () => {
      expect(hideFields(object, fields)).to.deep.equal(hidden);
    });
  }

  for (const { selectors, labels, matches } of recorded.labels) {
    it(`${matches ? 'match' : 'do not match'} ${selectors.join(', ')}`, () => {
      const metadata = labels === null ? {} : { labels };
      expect(matchesLabels({ metadata }, selectors)).to.equal(matches);
    });
  }

  for (const [i, { object, condition, ready }] of recorded.ready.entries()) {
    it(`are ${ready ? '' : 'not '}ready (${i + 1}: ${object['kind']})`, () => {
      expect(isReady(object, condition ?? undefined)).to.equal(ready);
    });
  }

  for (const { object, hash } of recorded.hash) {
    it(`have a hash in their names: ${hash}`, () => {
      const { name, generateName } = memberOf(withHash(object), 'metadata');
      expect(String(name ?? generateName)).to.match(new RegExp(`-${hash}$`));
    });
  }
});

/** With all lists in one order: kubernetes.core has items with merge keys in an arbitrary one. */
function sorted(value: unknown): unknown {
  if (Array.isArray(value)) {
    return value.map(sorted).sort((a, b) => (JSON.stringify(a) < JSON.stringify(b) ? -1 : 1));
  }
  if (typeof value !== 'object' || value === null) return value;
  const members = Object.entries(value).map(([name, each]) => [name, sorted(each)] as const);
  return Object.fromEntries(members.sort(([a], [b]) => (a < b ? -1 : 1)));
}
