import type { Place, Problem } from '../../shared/errors.ts';

/** How the hosts of a play go through it: together, each by itself, or so with at most `forks` on their way. */
export type Strategy = 'linear' | 'free' | 'host_pinned';

const STRATEGIES: readonly Strategy[] = ['linear', 'free', 'host_pinned'];

/** The strategy of that short or full name. */
export function strategyOf(name: string): Strategy | undefined {
  const short = name.replace(/^ansible\.builtin\./, '');
  return STRATEGIES.find((strategy) => strategy === short);
}

/** What is wrong with the name of a strategy, which is known once a template has been rendered. */
export function strategyProblem(name: string, place: Place | undefined): Problem | undefined {
  if (strategyOf(name) !== undefined) return undefined;
  const message = `there is no strategy "${name}"`;
  return { place, message, hint: `use one of: ${STRATEGIES.join(', ')}` };
}
