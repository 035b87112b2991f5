import type { Effect } from '../host-contract.ts';
import { normalizePath } from './normalize-path.ts';

/** An effect on a path, or on what is below it. */
export type PathEffect = Extract<Effect, { kind: 'path' | 'unknown-path' }>;

interface Numbered {
  readonly effect: PathEffect;
  readonly number: number;
}

/** Effects on paths in order, found by the paths that they bear on. */
export class PathEffects implements Iterable<PathEffect> {
  readonly #effects: PathEffect[] = [];
  readonly #byPath = new Map<string, Numbered[]>();

  add(effect: PathEffect): void {
    const path = normalizePath(effect.name);
    const earlier = this.#byPath.get(path) ?? [];
    this.#byPath.set(path, earlier);
    if (isFinal(effect)) earlier.length = 0;
    else if (isDirectory(effect) && isDirectory(earlier.at(-1)?.effect)) earlier.pop();
    earlier.push({ effect, number: this.#effects.length });
    this.#effects.push(effect);
  }

  /** The effects that bear on a normalised path: on it and on the directories above it, the newest first. */
  on(path: string): PathEffect[] {
    const found = lineage(path).flatMap((each) => this.#byPath.get(each) ?? []);
    return found.sort((a, b) => b.number - a.number).map(({ effect }) => effect);
  }

  /** Oldest first. */
  [Symbol.iterator](): Iterator<PathEffect> {
    return this.#effects.values();
  }
}

/** Whether it says everything about a path and what is below it, whatever was before. */
function isFinal(effect: PathEffect): boolean {
  return effect.kind === 'path' && effect.state?.type !== 'directory';
}

/** A directory tells nothing of what is below it, and nothing that the next one does not tell. */
function isDirectory(effect: PathEffect | undefined): boolean {
  return effect?.kind === 'path' && effect.state?.type === 'directory';
}

/** A path and all directories above it. */
function lineage(path: string): string[] {
  const above = [...path.matchAll(/\//g)].map(({ index }) => path.slice(0, index) || '/');
  return [...new Set([...above, path])];
}
