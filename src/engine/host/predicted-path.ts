import { posix } from 'node:path';
import type { Effect, PathState } from '../host-contract.ts';
import { normalizePath } from './normalize-path.ts';
import type { PathEffect, PathEffects } from './path-effects.ts';

type UnknownPath = Extract<Effect, { kind: 'unknown-path' }>;

/** A prediction, or where on the host to look instead. `unknown`: nobody can tell. */
export type PathAnswer = {
  /** The path after following links that are predicted or known. */
  readonly path: string;
  /** Whether the path itself is a link that was followed, not only a directory above it. */
  readonly isFollowed: boolean;
} & (
  | { readonly known: true; readonly state: PathState | undefined }
  | { readonly known: false; readonly unknown?: UnknownPath }
);

/** What is known of a host beside what it would answer. */
export interface Knowledge {
  readonly effects: PathEffects;
  /** Links that are on the host already, and where they lead. */
  readonly links: ReadonlyMap<string, string>;
}

type Verdict =
  | { readonly state: PathState | undefined }
  | { readonly unknown: UnknownPath }
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
    if ('unknown' in verdict) return { known: false, path: at, isFollowed, ...verdict };
    at = verdict.leadsTo;
    isFollowed ||= verdict.isItself;
  }
  return { known: true, path, isFollowed, state: undefined };
}

/** What the newest effect that bears on a path says about it, or else the links of the host. */
function judge({ effects, links }: Knowledge, path: string, follow: boolean): Verdict | undefined {
  for (const effect of effects.on(path)) {
    const verdict = judgeBy(effect, path, follow);
    if (verdict !== undefined) return verdict;
  }
  for (const [at, target] of links) {
    if (at === path && follow) return { leadsTo: target, isItself: true };
    const below = remainder(at, path);
    if (below !== undefined) return { leadsTo: posix.join(target, below), isItself: false };
  }
  return undefined;
}

function judgeBy(effect: PathEffect, path: string, follow: boolean): Verdict | undefined {
  const at = normalizePath(effect.name);
  if (effect.kind === 'unknown-path') return judgeUnknown(at, effect, path);
  return at === path ? judgeItself(at, effect.state, follow) : judgeBelow(at, effect.state, path);
}

function judgeUnknown(at: string, unknown: UnknownPath, path: string): Verdict | undefined {
  const isBelow = remainder(at, path) !== undefined;
  const isMeant = isBelow || (at === path && unknown.below !== true);
  // Of what is below something, its existence says nothing.
  const { exists: _, ...rest } = unknown;
  return isMeant ? { unknown: isBelow ? rest : unknown } : undefined;
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
