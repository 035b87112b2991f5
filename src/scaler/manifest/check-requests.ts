/** Whether the workloads among the manifests request what cpu and memory triggers are measured against. */
import type { ScaledObject } from '../resources/scaled-object.ts';
import type { ObjectProblem } from './object-problem.ts';
import { isRecord, type Manifest } from './read-manifests.ts';

type Values = Readonly<Record<string, unknown>>;

/** Warnings for triggers of cpu and memory whose containers have no request. Workloads elsewhere are not looked for. */
export function checkRequests(
  { metadata, spec }: ScaledObject,
  manifests: readonly Manifest[],
): readonly ObjectProblem[] {
  const { apiVersion = 'apps/v1', kind = 'Deployment', name } = spec.scaleTargetRef;
  const target = manifests.find(
    ({ value }) =>
      value['apiVersion'] === apiVersion &&
      value['kind'] === kind &&
      at(value, 'metadata', 'name') === name &&
      (at(value, 'metadata', 'namespace') ?? 'default') === (metadata.namespace ?? 'default'),
  );
  const listed = target && at(target.value, 'spec', 'template', 'spec', 'containers');
  const containers = Array.isArray(listed) ? listed.filter(isRecord) : [];
  return spec.triggers.flatMap(({ type, metadata: given }, index) => {
    if (type !== 'cpu' && type !== 'memory') return [];
    const { containerName } = given;
    return containers
      .filter((each) => containerName === undefined || each['name'] === containerName)
      .filter((each) => !hasRequest(each, type))
      .map((each) => ({
        path: ['spec', 'triggers', index],
        message: `needs a request: container ${String(each['name'])} of ${kind} ${name} has no resources.requests.${type}`,
        isWarning: true,
      }));
  });
}

/** A limit stands for a request that is not given. */
function hasRequest(container: Values, resource: string): boolean {
  return ['requests', 'limits'].some((of) => {
    const amount = at(container, 'resources', of, resource);
    return amount !== undefined && amount !== null;
  });
}

function at(value: unknown, ...path: readonly string[]): unknown {
  return path.reduce<unknown>((inner, key) => (isRecord(inner) ? inner[key] : undefined), value);
}
