/** Client-side apply: what to change, from what was applied before, what is there, and what is wanted. */
import { isEqual } from '../../../kubernetes/merge-patch.ts';
import { isJson, type Json, memberOf, overlaid, pythonJson, textOf, withoutNulls } from './json.ts';
import { byMergeKey, mergeKeyOf } from './merge-keys.ts';

const ANNOTATION = 'kubectl.kubernetes.io/last-applied-configuration';

/** The definition with itself as annotation, for the next apply. */
export function annotated(definition: Json): Json {
  const annotation = pythonJson(definition);
  const metadata = { annotations: { [ANNOTATION]: annotation } };
  return overlaid(definition, { metadata }) as Json; // An object on top of one.
}

/**
 * The merge patch that brings an object from what is there to what is wanted: members that were applied before and are
 * no longer wanted go, what others have added stays. Undefined where nothing is to be sent.
 */
export function applyPatch(actual: Json, desired: Json): Json | undefined {
  const lastApplied = lastAppliedOf(actual);
  if (lastApplied === undefined) return annotated(desired);
  const patch = merged(annotated(lastApplied), actual, annotated(desired), kindOf(desired));
  return Object.keys(patch).length === 0 || isEqual(overlaid(actual, patch), actual)
    ? undefined
    : patch;
}

function kindOf(definition: Json): string {
  return textOf(definition, 'kind') ?? '';
}

function lastAppliedOf(actual: Json): Json | undefined {
  const text = textOf(memberOf(memberOf(actual, 'metadata'), 'annotations'), ANNOTATION);
  if (text === undefined) return undefined;
  try {
    const value: unknown = JSON.parse(text);
    return isJson(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

function merged(last: Json, actual: Json, desired: Json, position: string): Json {
  return overlaid(deletions(last, desired), delta(last, actual, desired, position)) as Json; // Both are objects.
}

/** What was applied and is wanted otherwise, or no longer: null removes it. */
function deletions(last: Json, desired: Json): Json {
  const members = Object.entries(last).flatMap(([name, value]): [string, unknown][] => {
    const wanted = desired[name];
    if (!isJson(value) || !isJson(wanted)) {
      return isEqual(value, wanted) ? [] : [[name, wanted ?? null]];
    }
    const inner = deletions(value, wanted);
    return Object.keys(inner).length === 0 ? [] : [[name, inner]];
  });
  return Object.fromEntries(members);
}

/** What is wanted and is not there, or otherwise. */
function delta(last: Json, actual: Json, desired: Json, position: string): Json {
  const members = Object.entries(desired).flatMap(([name, wanted]): [string, unknown][] => {
    const now = actual[name];
    if (now === undefined || now === null) return [[name, wanted]];
    const patch = memberDelta({ last: last[name], now, wanted }, `${position}.${name}`);
    return patch === undefined ? [] : [[name, patch]];
  });
  return Object.fromEntries(members);
}

interface Member {
  readonly last: unknown;
  readonly now: unknown;
  readonly wanted: unknown;
}

function memberDelta({ last, now, wanted }: Member, position: string): unknown {
  if (isJson(wanted)) {
    const [before, actual] = [last, now].map((each) => (isJson(each) ? each : {}));
    const inner = delta(before ?? {}, actual ?? {}, wanted, position);
    return Object.keys(inner).length === 0 ? undefined : inner;
  }
  if (Array.isArray(wanted) && Array.isArray(now)) return mergedList(last, now, wanted, position);
  return isEqual(now, wanted) ? undefined : wanted;
}

/** Items by their merge key: those wanted, and those that somebody else has added. */
function mergedList(
  last: unknown,
  actual: readonly unknown[],
  desired: readonly unknown[],
  position: string,
): readonly unknown[] {
  const key = mergeKeyOf(position);
  if (key === undefined || !Array.isArray(last) || last.length === 0) return desired;
  const [before, now, wanted] = [last, actual, desired].map((items) => byMergeKey(items, key));
  if (before === undefined || now === undefined || wanted === undefined) return desired;
  const kept = [...now].filter(([id]) => !wanted.has(id) && !before.has(id));
  const items = [...wanted].map(([id, item]) => {
    const [old, current] = [before.get(id), now.get(id)];
    if (old === undefined || current === undefined) return item;
    // In lists nothing removes members for us: null would stay.
    return withoutNulls(overlaid(current, merged(old, current, item, position)));
  });
  return [...items, ...kept.map(([, item]) => item)];
}
