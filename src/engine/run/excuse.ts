/** What a check run makes of a task that fails for want of what an earlier task would have brought. */
import type { PredictedState } from '../host/predicted.ts';
import { type ModuleOutcome, unknownOutcome } from '../run-module.ts';
import type { Ready } from './ready.ts';

/** What a check run says of a task that cannot know. Throws the error where it has no excuse. */
export function excuse(
  error: unknown,
  predicted: PredictedState | undefined,
  { args }: Ready,
): ModuleOutcome {
  const unknown =
    predicted === undefined ? undefined : unknownOutcome(error, predicted, touchedPaths(args));
  if (unknown === undefined) throw error;
  return unknown;
}

/** Paths of the host that a task may change, as its arguments name them. */
function touchedPaths(args: unknown): string[] {
  const { path, dest } = args as { readonly path?: unknown; readonly dest?: unknown }; // Arguments are an object.
  return [path, dest].filter(
    (each): each is string => typeof each === 'string' && each.startsWith('/'),
  );
}
