import type { Field } from '../../shared/schema.ts';
import { type Command, joinCommands, plainName, sh } from '../../shared/shell.ts';
import type { Reader } from '../host-contract.ts';

/** `$NAME` and `${NAME}`, as Python's expandvars reads them; `$(…)` is plain text. */
const VARIABLE = /\$(?:([A-Za-z0-9_]+)|\{([A-Za-z0-9_]+)\})/g;
const HOME = /^~([^/]*)/;

type Host = Pick<Reader, 'read' | 'predicted'>;

/**
 * Arguments whose paths have `~`, `~user`, `$NAME` and `${NAME}` replaced by what they mean to the task's user on
 * the host; what is not defined there stays as it is. Costs a read only where one of them occurs.
 */
export async function expandPaths<Args>(host: Host, field: Field<Args>, args: Args): Promise<Args> {
  const names = new Set(pathsIn(field, args).flatMap(wanted));
  if (names.size === 0) return args;
  const values = await readValues(host, [...names]);
  return mapPaths(field, args, (path) => expand(path, values)) as Args; // Only texts in it change.
}

/** The same for one path that is no argument of its own. */
export async function expandPath(host: Host, path: string): Promise<string> {
  const names = wanted(path);
  return names.length === 0 ? path : expand(path, await readValues(host, [...new Set(names)]));
}

function wanted(path: string): string[] {
  const [home] = HOME.exec(path) ?? [];
  const variables = [...path.matchAll(VARIABLE)].map(([, plain, braced]) => plain ?? braced ?? '');
  return home === undefined ? variables : [home, ...variables];
}

/** Values by `NAME`, `~` and `~user`; the undefined ones are left out. */
async function readValues(
  host: Host,
  names: readonly string[],
): Promise<ReadonlyMap<string, string>> {
  const asked = names.filter((name) => name.startsWith('~') || /^[A-Za-z_]/.test(name));
  const { stdout } = await host.read(joinCommands(asked.map(question), '\n'));
  const answers = stdout.split('\0');
  const pairs = asked.map((name, i) => [name, answers[i] ?? ''] as const);
  const real = pairs.filter(([, answer]) => answer.startsWith('='));
  return new Map([
    ...real.map(([name, answer]) => [name, answer.slice(1)] as const),
    ...asked.flatMap((name) => foreseenHome(host, name)),
  ]);
}

/** The home directory of a user that an earlier task of a check run would have made. */
function foreseenHome(host: Host, name: string): [string, string][] {
  if (!name.startsWith('~') || name === '~') return [];
  const home = host.predicted('user', name.slice(1))?.state?.home;
  return home === undefined ? [] : [[name, home]];
}

/** Prints `=` and the value, or nothing, and a NUL. */
function question(name: string): Command {
  if (name.startsWith('~') && name !== '~') {
    return sh`h=$(getent passwd ${name.slice(1)} 2>/dev/null | cut -d: -f6); printf '%s\\0' "\${h:+=$h}"`;
  }
  const variable = plainName(name === '~' ? 'HOME' : name);
  return sh`printf '%s\\0' "\${${variable}+=\${${variable}}}"`;
}

function expand(path: string, values: ReadonlyMap<string, string>): string {
  const replaced = path.replace(VARIABLE, (whole, plain?: string, braced?: string) => {
    return values.get(plain ?? braced ?? '') ?? whole;
  });
  return replaced.replace(HOME, (whole) => values.get(whole) ?? whole);
}

function pathsIn(field: Field<unknown>, value: unknown): string[] {
  const found: string[] = [];
  mapPaths(field, value, (path) => {
    found.push(path);
    return path;
  });
  return found;
}

function mapPaths(field: Field<unknown>, value: unknown, map: (path: string) => string): unknown {
  const { kind, element, shape } = field;
  if (kind === 'path' && typeof value === 'string') return map(value);
  if (element !== undefined && Array.isArray(value)) {
    return value.map((each) => mapPaths(element, each, map));
  }
  if (shape === undefined || typeof value !== 'object' || value === null) return value;
  const members = Object.entries(value).map(([name, each]) => {
    const member = shape[name];
    return [name, member === undefined ? each : mapPaths(member, each, map)];
  });
  return Object.fromEntries(members);
}
