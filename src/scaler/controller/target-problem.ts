/** KEDA's words, which alerts match on. */
const SUBJECT = "ScaledObject doesn't have correct scaleTargetRef specification";

/** A scale target that is not there, or has no scale. */
export class TargetProblem extends Error {
  override readonly name = 'TargetProblem';
  /** What is wrong, without the words that name the field. */
  readonly detail: string;

  constructor(detail: string, options?: ErrorOptions) {
    super(`${SUBJECT}: ${detail}`, options);
    this.detail = detail;
  }
}

/** The problem of a workload that does not exist. @param which As `apps/v1 Deployment shop/worker`. */
export function targetMissing(which: string, options?: ErrorOptions): TargetProblem {
  return new TargetProblem(`Target resource doesn't exist: ${which}`, options);
}

/** The problem of a kind that the cluster does not have, or cannot scale. */
export function targetNotScalable(why: string, options?: ErrorOptions): TargetProblem {
  return new TargetProblem(`Target resource doesn't expose /scale subresource: ${why}`, options);
}
