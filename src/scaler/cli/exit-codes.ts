/** Exit codes of `tsprov-scaler`. */
export const EXIT = {
  ok: 0,
  /** A file that cannot be read, or a run that failed. */
  error: 1,
  /** Manifests with problems. */
  invalid: 2,
  /** A command line that cannot be read. */
  usage: 2,
  fault: 250,
} as const;
