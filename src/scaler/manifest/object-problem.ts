import type { Path } from './read-manifests.ts';

export type { Path };

/** One thing about an object that its author should know. */
export interface ObjectProblem {
  /** What it is about, from the object on. */
  readonly path: Path;
  /** Goes on after the path, or is a sentence of its own. */
  readonly message: string;
  readonly isSentence?: boolean;
  readonly hint?: string | undefined;
  /** It works, but surely not as meant. */
  readonly isWarning?: boolean;
  /** The key at the end of the path is meant, not its value. */
  readonly isKey?: boolean;
  /** The character of the text at the path. */
  readonly offset?: number;
}

/** The keys of a path as it is written: `spec.triggers[1].name`, `metadata.annotations[example.com/key]`. */
export function parsePath(text: string): Path {
  const parts = text.matchAll(/\[(\d+)\]|\[([^\]]+)\]|([^.[\]]+)/g);
  return [...parts].map(([, index, key, name]) =>
    index === undefined ? (key ?? name ?? '') : Number(index),
  );
}
