/** What one run finds out about releases: every host gets the same. */
import type { Controller } from '../../../engine/module.ts';

/** The version that a task means, or why nobody here can tell it. */
export type Resolution = { readonly version: string } | { readonly problem: string };

/** A file of this machine. */
export interface Obtained {
  readonly file: string;
  readonly sha256: string;
}

/** What the lock file says of a file. */
export interface LockedFile {
  /** Where upstream has it. */
  readonly url: string;
  readonly sha256: string;
  /** Where the sum comes from. */
  readonly trust: string;
}

/** What the lock file says of a component. */
export interface Locked {
  readonly version: string;
  /** When that was found out. */
  readonly resolved: string;
  /** By name of the asset. */
  readonly files: Readonly<Record<string, LockedFile>>;
}

export type Lock = Readonly<Record<string, Locked>>;

/** Values by key. It stays open where its owner is frozen. */
export class Notes<T> {
  readonly #known = new Map<string, T>();

  get(key: string): T | undefined {
    return this.#known.get(key);
  }

  set(key: string, value: T): T {
    this.#known.set(key, value);
    return value;
  }

  delete(key: string): void {
    this.#known.delete(key);
  }
}

export interface ReleaseMemory {
  /** Answers by the URL that was asked. */
  readonly latest: Notes<Promise<Resolution>>;
  /** Servers that did not answer, and what to say of them. */
  readonly away: Notes<string>;
  /** Files by what they have to be. */
  readonly obtained: Notes<Promise<Obtained>>;
  /** Lock files as they were when first read, and as they are to be written. */
  readonly firstLocks: Notes<Lock>;
  readonly locks: Notes<Lock>;
  readonly writing: Notes<Promise<void>>;
}

/** The memory of the run that a task belongs to. */
export function memoryOf({ notes }: Controller): ReleaseMemory {
  const known = notes.get(NAME) as ReleaseMemory | undefined; // Nobody else uses the name.
  if (known !== undefined) return known;
  const memory: ReleaseMemory = {
    latest: new Notes(),
    away: new Notes(),
    obtained: new Notes(),
    firstLocks: new Notes(),
    locks: new Notes(),
    writing: new Notes(),
  };
  notes.set(NAME, memory);
  return memory;
}

const NAME = 'releases';
