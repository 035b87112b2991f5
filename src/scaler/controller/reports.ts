/** Kubernetes events about ScaledObjects. */
import type { Decision } from '../decide/decide.ts';
import type { Names } from '../names.ts';
import type { Condition, ConditionStatus } from '../resources/conditions.ts';
import type { ScaledJob } from '../resources/scaled-job.ts';
import type { ScaledObject } from '../resources/scaled-object.ts';
import type { ControllerDependencies } from './dependencies.ts';
import { hasTurned } from './findings.ts';
import type { Readings } from './gauge-set.ts';
import { hasError } from './gauge-set.ts';
import { describeKind, type EventReport, type ScalerCluster, type TargetKind } from './ports.ts';
import { TargetProblem } from './target-problem.ts';

type Reporting = Pick<ControllerDependencies, 'cluster' | 'names'>;
type Conditions = readonly Condition[] | undefined;

/** Condition that turned, the status it turned to, and the event that tells so. */
const TURNS: readonly (readonly [string, ConditionStatus, EventReport])[] = [
  ['Ready', 'True', normal('ScaledObjectReady', 'ScaledObject is ready for scaling')],
  ['Paused', 'True', normal('ScaledObjectPaused', 'ScaledObject is paused')],
  ['Fallback', 'True', normal('ScaledObjectFallbackActivated', 'ScaledObject fallback is active')],
];
const RETURNS: readonly (readonly [string, ConditionStatus, EventReport])[] = [
  ['Paused', 'False', normal('ScaledObjectUnpaused', 'ScaledObject is no longer paused')],
  [
    'Fallback',
    'False',
    normal('ScaledObjectFallbackDeactivated', 'ScaledObject fallback is no longer active'),
  ],
];

/** Tells what has turned since the last status. */
export function reportTurns(
  object: ScaledObject,
  before: Conditions,
  after: Conditions,
  { cluster }: Pick<Reporting, 'cluster'>,
): void {
  for (const [type, status, event] of TURNS) {
    if (hasTurned(type, status, before, after)) cluster.report(object, event);
  }
  for (const [type, status, event] of RETURNS) {
    if (hasTurned(type, status, before, after) && wasTrue(type, before))
      cluster.report(object, event);
  }
}

const JOB_TURNS: readonly (readonly [string, ConditionStatus, EventReport])[] = [
  ['Ready', 'True', normal('ScaledJobReady', 'ScaledJob is ready for scaling')],
  ['Active', 'True', normal('ScaledJobActive', 'Scaling is performed because triggers are active')],
  ['Paused', 'True', normal('ScaledJobPaused', 'ScaledJob is paused')],
];
const JOB_RETURNS: readonly (readonly [string, ConditionStatus, EventReport])[] = [
  [
    'Active',
    'False',
    normal('ScaledJobInactive', 'Scaling is not performed because triggers are not active'),
  ],
  ['Paused', 'False', normal('ScaledJobUnpaused', 'ScaledJob is no longer paused')],
];

/** Tells what has turned since the last status of a ScaledJob. */
export function reportJobTurns(
  job: ScaledJob,
  before: Conditions,
  after: Conditions,
  cluster: ScalerCluster,
): void {
  for (const [type, status, event] of JOB_TURNS) {
    if (hasTurned(type, status, before, after)) cluster.report(job, event);
  }
  for (const [type, status, event] of JOB_RETURNS) {
    if (hasTurned(type, status, before, after) && wasTrue(type, before)) cluster.report(job, event);
  }
}

/** Tells why a reconcile failed; of a target that cannot be scaled in KEDA's two events, on which alerts match. */
export function reportFailure(object: ScaledObject, error: Error, cluster: ScalerCluster): void {
  const notes = error instanceof TargetProblem ? [error.detail, error.message] : [error.message];
  for (const note of notes) cluster.report(object, warning('ScaledObjectCheckFailed', note));
}

/** Tells that the triggers of an object were opened, and that it is polled from now on. */
export function reportStart(
  object: ScaledObject | ScaledJob,
  openTypes: readonly string[],
  { cluster, names }: Reporting,
): void {
  const notes = [...openTypes.map((type) => `Scaler ${type} is built`), 'Started scalers watch'];
  for (const note of notes) cluster.report(object, prefixed(normal('ScalersStarted', note), names));
}

/** Tells of triggers that could not be read or opened. */
export function reportTriggers(
  object: ScaledObject,
  { metrics, unopened }: Readings,
  { cluster, names }: Reporting,
): void {
  const isMember = Boolean(object.spec.advanced?.scalingModifiers?.formula);
  const reason = `${names.reasonPrefix}${isMember ? 'MetricSourceFailed' : 'ScalerFailed'}`;
  const errors = [
    ...unopened.map(({ error }) => error),
    ...metrics.flatMap(({ outcome }) => (hasError(outcome) ? outcome.error : [])),
  ];
  for (const error of new Set(errors)) cluster.report(object, warning(reason, error));
}

export interface ScaleReport {
  readonly kind: TargetKind;
  readonly decision: Decision;
  /** Metrics that asked for it. */
  readonly activeMetrics: readonly string[];
  readonly isForced: boolean;
  readonly from: number;
  /** Why the scale could not be set. */
  readonly failure: Error | undefined;
}

/** Tells that the replicas were set, or why they could not be. */
export function reportScale(object: ScaledObject, report: ScaleReport, reporting: Reporting): void {
  const { decision, from, failure } = report;
  const isDown = (decision.replicas ?? 0) < from;
  const event = failure === undefined ? success(object, report, isDown) : failed(failure, isDown);
  reporting.cluster.report(object, prefixed(event, reporting.names));
}

function success(object: ScaledObject, report: ScaleReport, isDown: boolean): EventReport {
  const { kind, decision, from, isForced, activeMetrics } = report;
  const { name } = object.spec.scaleTargetRef;
  const move = `${describeKind(kind)} ${object.metadata.namespace}/${name} from ${from} to ${decision.replicas}`;
  if (isDown) return normal('ScaleTargetDeactivated', `Deactivated ${move}`);
  const triggered = activeMetrics.length > 0 ? `, triggered by ${activeMetrics.join(';')}` : '';
  const cause = isForced ? ', caused by forced activation annotation' : triggered;
  return normal('ScaleTargetActivated', `Scaled ${move}${cause}`);
}

function failed({ message }: Error, isDown: boolean): EventReport {
  return warning(`ScaleTarget${isDown ? 'Deactivation' : 'Activation'}Failed`, message);
}

function prefixed(event: EventReport, names: Names): EventReport {
  return { ...event, reason: `${names.reasonPrefix}${event.reason}` };
}

function wasTrue(type: string, conditions: Conditions): boolean {
  return conditions?.find((condition) => condition.type === type)?.status === 'True';
}

export function normal(reason: string, message: string): EventReport {
  return { type: 'Normal', reason, message };
}

export function warning(reason: string, message: string): EventReport {
  return { type: 'Warning', reason, message };
}
