/** Checks meta tasks that can work only in some places. */
import type { Problem } from '../../shared/errors.ts';
import { FREE_FORM } from './action.ts';
import type { Task } from './model.ts';
import { textOf } from './source.ts';

/** What is wrong with a `meta: end_role` that stands where there is no role to leave. */
export function metaProblem({ module, args, isHandler, parent, position }: Task): Problem[] {
  if (module !== 'meta' || textOf(args.get(FREE_FORM)) !== 'end_role') return [];
  if (isHandler) return [{ place: position, message: 'meta: end_role cannot be a handler' }];
  if (parent.role !== undefined) return [];
  const hint = 'use end_host or end_play';
  return [{ place: position, message: 'meta: end_role stands outside of a role', hint }];
}
