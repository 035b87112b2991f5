import type { Place, Problem } from '../../shared/errors.ts';

/** What is wrong with the name of a strategy, which is known once a template has been rendered. */
export function strategyProblem(name: string, place: Place | undefined): Problem | undefined {
  if (/^(ansible\.builtin\.)?linear$/.test(name)) return undefined;
  const message = `the strategy "${name}" is not supported yet`;
  return { place, message, hint: 'only the linear strategy exists' };
}
