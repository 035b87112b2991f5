import { Budget } from '../budget.ts';
import { type Builtin, define } from '../builtin.ts';
import { equals, storeMember, truthy } from '../compare.ts';
import { TemplateError } from '../errors.ts';
import { iterate, requireMap } from '../iterate.ts';

import { isList, isMap, Range, Undefined, type Val, type ValMap } from '../objects.ts';
import { requireText } from '../text.ts';

type Merge = (a: readonly Val[], b: readonly Val[]) => readonly Val[];

const without: Merge = (a, b) => a.filter((item) => !b.some((other) => equals(item, other)));

const LIST_MERGES: ReadonlyMap<string, Merge> = new Map<string, Merge>([
  ['replace', (_a, b) => b],
  ['keep', (a) => a],
  ['append', (a, b) => [...a, ...b]],
  ['prepend', (a, b) => [...b, ...a]],
  ['append_rp', (a, b) => [...without(a, b), ...b]],
  ['prepend_rp', (a, b) => [...b, ...without(a, b)]],
]);

interface MergeRules {
  readonly recursive: boolean;
  readonly lists: Merge;
  readonly budget: Budget;
}

/** What is to be combined: dicts, and those of lists, which may not hold further lists. Nulls count for nothing. */
function termsOf(values: readonly Val[], budget: Budget): readonly Val[] {
  const terms = values.flatMap((value) => (isList(value) ? value : [value]));
  budget.visit(terms.length);
  for (const term of terms) refuseUndefined(term);
  if (terms.some((term) => term instanceof Range))
    throw new TemplateError("what is combined must be a dict, not 'range'");
  return terms.filter((term) => term !== null);
}

/** A dict that holds something undefined stands for it, as the undefined itself does. */
function refuseUndefined(term: Val): void {
  const parts = isMap(term) ? term.values() : isList(term) ? term : [];
  for (const part of [term, ...parts]) if (part instanceof Undefined) part.fail();
}

function merge(a: ValMap, b: ValMap, rules: MergeRules): ValMap {
  rules.budget.visit(a.size + b.size);
  const merged = new Map(a);
  for (const [key, theirs] of b) {
    const ours = merged.get(key);
    storeMember(merged, key, ours === undefined ? theirs : mergeMember(ours, theirs, rules));
  }
  return merged;
}

function mergeMember(ours: Val, theirs: Val, rules: MergeRules): Val {
  if (rules.recursive && isMap(ours) && isMap(theirs)) return merge(ours, theirs, rules);
  if (!isList(ours) || !isList(theirs)) return theirs;
  rules.budget.visit(ours.length + theirs.length);
  return rules.lists(ours, theirs);
}

/** The combine filter: later dicts win. */
export const combineFilter: Builtin = define(
  'combine',
  "*values, recursive=False, list_merge='replace'",
  (runtime, values, recursive, listMerge) => {
    const lists = LIST_MERGES.get(requireText(listMerge, 'list_merge'));
    if (lists === undefined) {
      throw new TemplateError(`list_merge must be one of ${[...LIST_MERGES.keys()].join(', ')}`);
    }
    const budget = new Budget();
    const terms = termsOf(iterate(values, runtime), budget);
    // A single value is not looked at.
    if (terms.length === 1) return terms[0] ?? null;
    const rules = { recursive: truthy(recursive), lists, budget };
    const dicts = terms.map((term) => requireMap(term, 'what is combined'));
    return dicts.reduce<ValMap>((a, b) => merge(a, b, rules), new Map());
  },
);
