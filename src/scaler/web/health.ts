/** Whether the process is well, as Kubernetes probes ask. */

/** One thing that must be so. */
export interface HealthCheck {
  readonly name: string;
  /** Why it is not so, or undefined where all is well. */
  check(): string | undefined;
}

export interface Health {
  /** Fails: the process should be restarted. */
  readonly live: readonly HealthCheck[];
  /** Fails: nothing should be sent to it for now. */
  readonly ready: readonly HealthCheck[];
}

export interface HealthReport {
  readonly isWell: boolean;
  /** One line per check, as API servers write them. */
  readonly text: string;
}

/** Runs the checks; every reason is told. */
export function reportHealth(name: string, checks: readonly HealthCheck[]): HealthReport {
  const results = checks.map((each) => ({ name: each.name, problem: each.check() }));
  const isWell = results.every(({ problem }) => problem === undefined);
  const lines = results.map((each) =>
    each.problem === undefined ? `[+]${each.name} ok` : `[-]${each.name} failed: ${each.problem}`,
  );
  const verdict = isWell ? `${name} check passed` : `${name} check failed`;
  return { isWell, text: [...lines, verdict, ''].join('\n') };
}
