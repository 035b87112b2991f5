import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { parse } from 'yaml';
import { exists } from '../support/cache.ts';

/** One integration target of ansible-core. */
export interface Target {
  readonly name: string;
  /** A role that a generated play plays, or a script that calls the commands. */
  readonly kind: 'role' | 'script';
  readonly gatherFacts: boolean;
  /** Where its host `testhost` is: a node, or this computer over a local connection. */
  readonly place: 'node' | 'here';
  /** It changes its node for good. */
  readonly isDestructive: boolean;
  /** Places of tasks that cannot work on the machines of the tests, where a script hides which they are. */
  readonly apart: readonly string[];
}

/** Targets that are not played, with the reason. */
export interface Group {
  readonly why: string;
  readonly targets: readonly string[];
}

/** What `targets.yaml` says. */
export interface Selection {
  readonly outside: readonly Group[];
  /** Modules that do not exist yet, and the targets that are about nothing else. */
  readonly missing: Readonly<Record<string, readonly string[]>>;
  /** Scripts that are played on a node although nothing in their files asks for one, or the other way round. */
  readonly node: readonly string[];
  readonly here: readonly string[];
  /** Tasks of scripts that are taken out for both, by target. */
  readonly apart: Readonly<Record<string, readonly string[]>>;
  /** Targets that CI plays. */
  readonly smoke: readonly string[];
}

/** Reads which targets are played. */
export async function readSelection(): Promise<Selection> {
  const text = await readFile(join(import.meta.dirname, 'targets.yaml'), 'utf8');
  // Written by us in this shape; the suite checks its names.
  return parse(text) as Selection;
}

/** Every target of the archive that is a test by itself. */
export async function readTargets(source: string, selection: Selection): Promise<Target[]> {
  const folder = join(source, 'test/integration/targets');
  const names = (await readdir(folder)).sort();
  const read = await Promise.all(names.map((name) => readTarget(folder, name, selection)));
  return read.filter((target) => target !== undefined);
}

async function readTarget(
  folder: string,
  name: string,
  selection: Selection,
): Promise<Target | undefined> {
  const at = join(folder, name);
  const isScript = await exists(join(at, 'runme.sh'));
  const isRole = (await exists(join(at, 'tasks/main.yml'))) || (await exists(join(at, 'tasks')));
  const aliases = await readFile(join(at, 'aliases'), 'utf8').catch(() => '');
  if ((!isScript && !isRole) || /^hidden/m.test(aliases)) return undefined;
  // What is about the controller takes it for the host as well.
  const isOfController = isScript || /^context\/controller/m.test(aliases);
  const needsNode = /^(destructive|needs\/(root|ssh))/m.test(aliases) || !isOfController;
  const onNode = selection.node.includes(name) || (needsNode && !selection.here.includes(name));
  return {
    name,
    kind: isScript ? 'script' : 'role',
    gatherFacts: !/^gather_facts\/no/m.test(aliases),
    place: onNode ? 'node' : 'here',
    isDestructive: onNode && /^destructive/m.test(aliases),
    apart: (selection.apart[name] ?? []).map((place) => `${name}/${place}`),
  };
}

/** Why a target is not played, or nothing. A name of the data may end in `*`. */
export function whyOutside(name: string, { outside }: Selection): string | undefined {
  const covers = (pattern: string) =>
    pattern.endsWith('*') ? name.startsWith(pattern.slice(0, -1)) : name === pattern;
  return outside.find(({ targets }) => targets.some(covers))?.why;
}
