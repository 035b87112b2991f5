import { type Builtin, define } from '../builtin.ts';
import { truthy } from '../compare.ts';
import { TemplateError } from '../errors.ts';
import { isList, isMap, typeName, type Val, type ValMap } from '../objects.ts';

function resultOf(value: Val, test: string): ValMap {
  if (isMap(value)) return value;
  throw new TemplateError(`the test "${test}" takes a task's result, not '${typeName(value)}'`);
}

function flag(result: ValMap, name: string): boolean {
  return truthy(result.get(name) ?? false);
}

/** A test of a registered result. */
function resultTest(names: string, holds: (result: ValMap) => boolean): Builtin {
  return define(names, 'value', (_runtime, value) => holds(resultOf(value, names)));
}

/** A loop's result is changed where one of its items is. */
function isChanged(result: ValMap): boolean {
  if (flag(result, 'changed')) return true;
  const items = result.get('results') ?? null;
  return isList(items) && items.some((item) => isMap(item) && flag(item, 'changed'));
}

/** A job without the mark is one that ended at once. */
function isMarked(result: ValMap, name: string): boolean {
  const mark = result.get(name);
  return mark === undefined || truthy(mark);
}

/** Tests of registered results. */
export const resultTests: readonly Builtin[] = [
  resultTest('failed failure', (result) => flag(result, 'failed')),
  resultTest('succeeded success successful', (result) => !flag(result, 'failed')),
  resultTest('changed change', isChanged),
  resultTest('skipped skip', (result) => flag(result, 'skipped')),
  resultTest('unreachable', (result) => flag(result, 'unreachable')),
  resultTest('reachable', (result) => !flag(result, 'unreachable')),
  resultTest('timedout', (result) => {
    const timeout = result.get('timedout');
    return (
      timeout !== undefined && truthy(isMap(timeout) ? (timeout.get('period') ?? false) : timeout)
    );
  }),
  resultTest('started', (result) => isMarked(result, 'started')),
  resultTest('finished', (result) => isMarked(result, 'finished')),
];
