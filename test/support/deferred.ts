export interface Deferred {
  readonly promise: Promise<void>;
  readonly resolve: () => void;
}

/** A promise that whoever holds it keeps. */
export function deferred(): Deferred {
  let resolve = () => {};
  const promise = new Promise<void>((keep) => {
    resolve = keep;
  });
  return { promise, resolve: () => resolve() };
}
