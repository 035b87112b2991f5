/** The names by which handlers hear. */
import { basename } from 'node:path';
import type { Role } from './model.ts';

/** A name or topic of a handler, also after the name of its role; one of a collection has a short name, too. */
export function heardAs(name: string, role: Role | undefined): string[] {
  if (role === undefined) return [name];
  const roleNames = new Set([role.name, basename(role.path)]);
  return [name, ...[...roleNames].map((each) => `${each} : ${name}`)];
}
