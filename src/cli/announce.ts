/** Warnings reach the person once each, in the order in which they come up. */
import type { Emit } from '../engine/run/events.ts';
import { formatProblem, type Problem } from '../shared/errors.ts';
import type { Setting } from './run-services.ts';

/**
 * Passes events on; before each, tells what configuration and inventory have come to warn of. The inventory warns
 * of patterns while the run goes on.
 */
export function withWarnings(
  emit: Emit,
  { config, inventory }: Pick<Setting, 'config' | 'inventory'>,
): Emit {
  const told = new Set<string>();
  const tell = (text: string) => {
    if (told.has(text)) return;
    told.add(text);
    emit({ type: 'warning', text });
  };
  let seen = 0;
  for (const problem of config.warnings) tell(formatProblem(problem));
  return (event) => {
    const fresh: readonly Problem[] = inventory.warnings.slice(seen);
    seen += fresh.length;
    for (const problem of fresh) tell(formatProblem(problem));
    if (event.type === 'warning') tell(textOf(event));
    else emit(event);
  };
}

function textOf({ text, position }: { text: string; position?: Problem['place'] }): string {
  return formatProblem({ place: position, message: text });
}
