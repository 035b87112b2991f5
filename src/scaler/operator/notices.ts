/** Events that triggers ask for. */
import type { TriggerPlace } from '../controller/open-trigger.ts';
import type { ScalerCluster } from '../controller/ports.ts';
import { normal } from '../controller/reports.ts';
import type { Names } from '../names.ts';

/** Tells the owner of a trigger something that is no failure. */
export function notify(
  { object, index }: TriggerPlace,
  message: string,
  cluster: ScalerCluster,
  names: Names,
): void {
  const key = `${object.namespace}/${object.name}`;
  const owner = object.kind === 'ScaledJob' ? cluster.scaledJob(key) : cluster.scaledObject(key);
  if (owner === undefined) return;
  const event = normal(`${names.reasonPrefix}ScalerInfo`, `trigger ${index}: ${message}`);
  cluster.report(owner, event);
}
