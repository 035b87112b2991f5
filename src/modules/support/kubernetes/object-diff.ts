/** What differs between two states of an object, and whether that is a change. */
import { isEqual } from '../../../kubernetes/merge-patch.ts';
import { hideFields } from './hidden-fields.ts';
import { isJson, type Json, memberOf, textOf } from './json.ts';
import { byMergeKey, mergeKeyOf } from './merge-keys.ts';

export interface ObjectDiff {
  readonly before: Json;
  readonly after: Json;
}

interface Sides {
  readonly before: unknown;
  readonly after: unknown;
}

/** The members that differ, on both sides; undefined where none do. Lists with merge keys are compared item by item. */
export function diffObjects(before: Json, after: Json): ObjectDiff | undefined {
  const [kind, other] = [textOf(before, 'kind'), textOf(after, 'kind')];
  return diffMembers(before, after, kind !== undefined && kind === other ? kind : '');
}

/** Whether a difference counts: counters of the API server alone do not. */
export function isChange(diff: ObjectDiff | undefined): boolean {
  if (diff === undefined) return false;
  return [diff.before, diff.after].some(
    (side) =>
      Object.keys(side).some((name) => name !== 'metadata') ||
      Object.keys(memberOf(side, 'metadata')).some((name) => !COUNTERS.includes(name)),
  );
}

const COUNTERS = ['generation', 'resourceVersion'];

/** What the server adds to every object. */
const NOISE = [
  ...['metadata.managedFields', 'metadata.resourceVersion', 'metadata.generation'],
  ...['metadata.uid', 'metadata.creationTimestamp'],
];

/** A difference as people see it: without the bookkeeping of the API server, what is secret masked. */
export function shownDiff(
  { before, after }: ObjectDiff,
  { kind, hiddenFields = [] }: { readonly kind: string; readonly hiddenFields?: readonly string[] },
): ObjectDiff {
  const [old, now] = kind === 'Secret' ? maskSecret(before, after) : [before, after];
  const shown = [old, now].map((side) => hideFields(side, [...NOISE, ...hiddenFields]) as Json);
  const [left = {}, right = {}] = shown;
  const isEmpty = Object.keys(left).length + Object.keys(right).length === 0;
  // Only who manages the fields has changed.
  return isEmpty ? { before: old, after: now } : { before: left, after: right };
}

/** As kubectl diff shows Secrets: that values differ, not what they are. */
function maskSecret(before: Json, after: Json): readonly [Json, Json] {
  const mask = (side: Json, other: Json, word: string) =>
    Object.fromEntries(
      Object.entries(side).map(([name, member]) => {
        if ((name !== 'data' && name !== 'stringData') || !isJson(member)) return [name, member];
        const values = Object.keys(member).map((key) => {
          const isSame = isEqual(member[key], memberOf(other, name)[key]);
          return [key, isSame ? '***' : `*** (${word})`];
        });
        return [name, Object.fromEntries(values)];
      }),
    );
  return [mask(before, after, 'before'), mask(after, before, 'after')];
}

function diffMembers(before: Json, after: Json, position: string): ObjectDiff | undefined {
  const names = [...new Set([...Object.keys(before), ...Object.keys(after)])];
  const differing = names.flatMap((name) => {
    const sides = diffMember(before, after, name, position === '' ? '' : `${position}.${name}`);
    return sides === undefined ? [] : [[name, sides] as const];
  });
  if (differing.length === 0) return undefined;
  const side = (of: Json, which: keyof Sides) =>
    differing
      .filter(([name]) => Object.hasOwn(of, name))
      .map(([name, sides]) => [name, sides[which]]);
  return {
    before: Object.fromEntries(side(before, 'before')),
    after: Object.fromEntries(side(after, 'after')),
  };
}

function diffMember(before: Json, after: Json, name: string, at: string): Sides | undefined {
  const [old, now] = [before[name], after[name]];
  if (!Object.hasOwn(before, name) || !Object.hasOwn(after, name))
    return { before: old, after: now };
  if (isJson(old) && isJson(now)) return diffMembers(old, now, at);
  if (Array.isArray(old) && Array.isArray(now)) return diffLists(old, now, at);
  return isEqual(old, now) ? undefined : { before: old, after: now };
}

function diffLists(before: readonly unknown[], after: readonly unknown[], position: string) {
  const key = mergeKeyOf(position);
  const [old, now] = [before, after].map((items) => key && byMergeKey(items, key));
  if (!key || !old || !now) return isEqual(before, after) ? undefined : { before, after };
  const ids = [...new Set([...old.keys(), ...now.keys()])];
  const items = ids.flatMap((id) => diffItem(old.get(id), now.get(id), { key, position }) ?? []);
  if (items.length === 0) return undefined;
  const side = (name: keyof Sides) => items.map((each) => each[name]).filter(Boolean);
  return { before: side('before'), after: side('after') };
}

/** What differs in an item, with its key, so that one sees which it is. */
function diffItem(
  before: Json | undefined,
  after: Json | undefined,
  { key, position }: { readonly key: string; readonly position: string },
): Sides | undefined {
  if (before === undefined || after === undefined) return { before, after };
  const diff = diffMembers(before, after, position);
  if (diff === undefined) return undefined;
  const id = { [key]: before[key] };
  return { before: { ...diff.before, ...id }, after: { ...diff.after, ...id } };
}
