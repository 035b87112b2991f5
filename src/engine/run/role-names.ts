/** Which roles a play has and who has led to a task, for the variables that name roles. */
import { enclosing, type Role, type Task } from '../playbook/model.ts';

/** The names of a play's roles, without dependencies. */
export function roleNames(roles: readonly Role[]): string[] {
  return roles.map(({ name }) => name);
}

/** The names of the roles that a play's roles depend on. */
export function dependentRoleNames(roles: readonly Role[]): string[] {
  const below = ({ dependencies }: Role): Role[] =>
    dependencies.flatMap((role) => [...below(role), role]);
  return unique(roleNames(roles.flatMap(below)));
}

/** Both, in order. */
export function allRoleNames(roles: readonly Role[]): string[] {
  return unique([...roleNames(roles), ...dependentRoleNames(roles)]).sort();
}

/** What the roles are that include or import the role of a task, those left out that only depend on one of them. */
export function parentRoles(task: Task | undefined, member: 'name' | 'path'): string[] | undefined {
  const own = task?.parent.role;
  if (task === undefined || own === undefined) return undefined;
  const around = [...new Set([...enclosing(task.parent)].flatMap(({ role }) => role ?? []))];
  const dependants = new Set([own, ...around].flatMap(({ parents }) => parents));
  const parents = around.filter((role) => role !== own && !dependants.has(role));
  return parents.length === 0 ? undefined : parents.map((role) => role[member]);
}

function unique(names: readonly string[]): string[] {
  return [...new Set(names)];
}
