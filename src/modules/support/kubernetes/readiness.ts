/** When an object counts as ready; the same answers as kubernetes.core gives. */

import { table } from '../../../shared/table.ts';
import { isJson, type Json, memberOf } from './json.ts';

export interface Condition {
  readonly type?: string | undefined;
  readonly status: 'True' | 'False' | 'Unknown';
  readonly reason?: string | undefined;
}

type Judge = (object: Json) => boolean;

/** What has to hold of an object that is there: the condition, else what its kind is known by, else nothing. */
export function isReady(object: Json, condition: Condition | undefined): boolean {
  if (condition?.type) return hasCondition(object, condition);
  const judge = JUDGES[String(object['kind'])];
  return judge === undefined || judge(object);
}

const JUDGES: Readonly<Record<string, Judge>> = table({
  Deployment(object) {
    const { spec, status, generation } = partsOf(object);
    return (
      (status['replicas'] ?? 0) === spec['replicas'] &&
      status['availableReplicas'] === status['replicas'] &&
      status['observedGeneration'] === generation &&
      !status['unavailableReplicas']
    );
  },
  DaemonSet(object) {
    const { status, generation } = partsOf(object);
    const desired = status['desiredNumberScheduled'];
    return (
      desired !== undefined &&
      (status['updatedNumberScheduled'] ?? 0) === desired &&
      status['numberReady'] === desired &&
      status['observedGeneration'] === generation &&
      !status['unavailableReplicas']
    );
  },
  StatefulSet(object) {
    const { spec, status, generation } = partsOf(object);
    const wanted = spec['replicas'];
    const isSeen =
      status['observedGeneration'] === (generation ?? 0) && status['replicas'] === wanted;
    const strategy = memberOf(spec, 'updateStrategy')['type'];
    if (strategy === 'OnDelete') return isSeen;
    return (
      isSeen &&
      strategy === 'RollingUpdate' &&
      status['updateRevision'] === status['currentRevision'] &&
      (status['updatedReplicas'] ?? 0) === wanted &&
      (status['readyReplicas'] ?? 0) === wanted
    );
  },
  Pod(object) {
    const containers = memberOf(object, 'status')['containerStatuses'];
    return Array.isArray(containers) && containers.every((each) => each.ready === true);
  },
  ClusterOperator(object) {
    const statusOf = (type: string) => conditionOf(object, type)?.['status'];
    return (
      statusOf('Available') === 'True' &&
      statusOf('Progressing') === 'False' &&
      statusOf('Degraded') === 'False'
    );
  },
});

function partsOf(object: Json) {
  const generation = memberOf(object, 'metadata')['generation'];
  return { spec: memberOf(object, 'spec'), status: memberOf(object, 'status'), generation };
}

function conditionOf(object: Json, type: string | undefined): Json | undefined {
  const { conditions } = memberOf(object, 'status');
  if (!Array.isArray(conditions)) return undefined;
  return conditions.filter(isJson).find((each) => each['type'] === type);
}

function hasCondition(object: Json, { type, status, reason }: Condition): boolean {
  const found = conditionOf(object, type);
  if (found === undefined) return false;
  if (reason && found['reason'] !== reason) return false;
  if (status === 'Unknown' || found['status'] === 'Unknown') return found['status'] === status;
  return (found['status'] === 'True') === (status === 'True');
}
