import { posix } from 'node:path';
import type { Effect, PathState } from '../host-contract.ts';

type PathEffect = Extract<Effect, { kind: 'path' }>;

/** A prediction, or where on the host to look instead. */
export type PathAnswer = {
  /** The path after following links that are predicted or known. */
  readonly path: string;
  /** Whether the path itself is a link that was followed, not only a directory above it. */
  readonly isFollowed: boolean;
} & ({ readonly known: true; readonly state: PathState | undefined } | { readonly known: false });

/** What is known of a host beside what it would answer. */
export interface Knowledge {
  /** Oldest first. */
  readonly effects: readonly PathEffect[];
  /** Links that are on the host already, and where they lead. */
  readonly links: ReadonlyMap<string, string>;
}

type Verdict =
  | { readonly state: PathState | undefined }
  | { readonly leadsTo: string; readonly isItself: boolean };

/** As many links as Linux follows. */
const LINK_LIMIT = 40;

/**
 * What is known about a normalised path. A removed directory hides all that was below it; a path through a link leads
 * to where the link points.
 */
export function predictPath(knowledge: Knowledge, path: string, follow: boolean): PathAnswer {
  let at = path;
  let isFollowed = false;
  for (let links = 0; links < LINK_LIMIT; links++) {
    const verdict = judge(knowledge, at, follow);
    if (verdict === undefined) return { known: false, path: at, isFollowed };
    if ('state' in verdict) return { known: true, path: at, isFollowed, state: verdict.state };
    at = verdict.leadsTo;
    isFollowed ||= verdict.isItself;
  }
  return { known: true, path, isFollowed, state: undefined };
}

/** A path without `//`, `.`, `..` and a final slash. */
export function normalizePath(path: string): string {
  return posix.normalize(path).replace(/(.)\/$/, '$1');
}

/** What the newest effect that bears on a path says about it, or else the links of the host. */
function judge({ effects, links }: Knowledge, path: string, follow: boolean): Verdict | undefined {
  for (const { name, state } of effects.toReversed()) {
    const at = normalizePath(name);
    const verdict = at === path ? judgeItself(at, state, follow) : judgeBelow(at, state, path);
    if (verdict !== undefined) return verdict;
  }
  for (const [at, target] of links) {
    if (at === path && follow) return { leadsTo: target, isItself: true };
    const below = remainder(at, path);
    if (below !== undefined) return { leadsTo: posix.join(target, below), isItself: false };
  }
  return undefined;
}

function judgeItself(at: string, state: PathState | undefined, follow: boolean): Verdict {
  const target = follow ? linkTarget(at, state) : undefined;
  return target === undefined ? { state } : { leadsTo: target, isItself: true };
}

/** What the state of a directory says about a path below it; nothing when it just exists. */
function judgeBelow(at: string, state: PathState | undefined, path: string): Verdict | undefined {
  const below = remainder(at, path);
  if (below === undefined || state?.type === 'directory') return undefined;
  const target = linkTarget(at, state);
  if (target === undefined) return { state: undefined };
  return { leadsTo: posix.join(target, below), isItself: false };
}

/** What follows a directory in a path, or undefined where the path is not below it. */
export function remainder(directory: string, path: string): string | undefined {
  const prefix = directory.endsWith('/') ? directory : `${directory}/`;
  return path.startsWith(prefix) ? path.slice(prefix.length) : undefined;
}

function linkTarget(at: string, state: PathState | undefined): string | undefined {
  if (state?.type !== 'link' || state.target === undefined) return undefined;
  return posix.resolve(posix.dirname(at), state.target);
}
