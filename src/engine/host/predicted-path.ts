import { posix } from 'node:path';
import type { Effect, PathState } from '../host-contract.ts';

type PathEffect = Extract<Effect, { kind: 'path' }>;

/** A prediction, or where on the host to look instead. */
export type PathAnswer = {
  /** The path after following predicted links. */
  readonly path: string;
} & ({ readonly known: true; readonly state: PathState | undefined } | { readonly known: false });

type Verdict = { readonly state: PathState | undefined } | { readonly leadsTo: string };

/** As many links as Linux follows. */
const LINK_LIMIT = 40;

/**
 * What a list of effects, oldest first, says about a normalised path. A removed directory hides all that was
 * below it; a path through a predicted link leads to where the link points.
 */
export function predictPath(
  effects: readonly PathEffect[],
  path: string,
  follow: boolean,
): PathAnswer {
  let at = path;
  for (let links = 0; links < LINK_LIMIT; links++) {
    const verdict = judge(effects, at, follow);
    if (verdict === undefined) return { known: false, path: at };
    if ('state' in verdict) return { known: true, path: at, state: verdict.state };
    at = verdict.leadsTo;
  }
  return { known: true, path, state: undefined };
}

/** A path without `//`, `.`, `..` and a final slash. */
export function normalizePath(path: string): string {
  return posix.normalize(path).replace(/(.)\/$/, '$1');
}

/** What the newest effect that bears on a path says about it. */
function judge(effects: readonly PathEffect[], path: string, follow: boolean): Verdict | undefined {
  for (const { name, state } of effects.toReversed()) {
    const at = normalizePath(name);
    const verdict = at === path ? judgeItself(at, state, follow) : judgeBelow(at, state, path);
    if (verdict !== undefined) return verdict;
  }
  return undefined;
}

function judgeItself(at: string, state: PathState | undefined, follow: boolean): Verdict {
  const target = follow ? linkTarget(at, state) : undefined;
  return target === undefined ? { state } : { leadsTo: target };
}

/** What the state of a directory says about a path below it; nothing when it just exists. */
function judgeBelow(at: string, state: PathState | undefined, path: string): Verdict | undefined {
  const below = remainder(at, path);
  if (below === undefined || state?.type === 'directory') return undefined;
  const target = linkTarget(at, state);
  return target === undefined ? { state: undefined } : { leadsTo: posix.join(target, below) };
}

/** What follows a directory in a path, or undefined where the path is not below it. */
function remainder(directory: string, path: string): string | undefined {
  const prefix = directory.endsWith('/') ? directory : `${directory}/`;
  return path.startsWith(prefix) ? path.slice(prefix.length) : undefined;
}

function linkTarget(at: string, state: PathState | undefined): string | undefined {
  if (state?.type !== 'link' || state.target === undefined) return undefined;
  return posix.resolve(posix.dirname(at), state.target);
}
