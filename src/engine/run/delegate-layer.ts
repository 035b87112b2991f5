import type { Value } from '../values.ts';
import type { Layer, LayeredScope } from '../vars/task-scope.ts';

/** A variable under a name that no template can use. */
const CHOSEN = ' delegate';

/** The delegate that has been chosen for an item of a task, for whoever asks its scope. */
export function delegateLayer(chosen: string): Layer {
  return { get: (name) => (name === CHOSEN ? chosen : undefined), names: () => [] };
}

/** The delegate that was chosen; undefined where there is none, or none is chosen yet. */
export function chosenDelegate(scope: LayeredScope): Value | undefined {
  return scope.get(CHOSEN);
}
