/** What objects that are fine by themselves do to each other. */
import { hpaNameOf } from '../decide/hpa.ts';
import type { Names } from '../names.ts';
import type { ScaledObject } from '../resources/scaled-object.ts';
import type { ObjectProblem, Path } from './object-problem.ts';

/** The problems of each ScaledObject that come from one before it, in the order of the objects. */
export function checkTogether(
  objects: readonly ScaledObject[],
  names: Names,
): readonly (readonly ObjectProblem[])[] {
  const [targets, hpas] = [new Map<string, string>(), new Map<string, string>()];
  return objects.map((object) => {
    const { scaleTargetRef: target } = object.spec;
    const namespace = object.metadata.namespace ?? 'default';
    const kind = target.kind ?? 'Deployment';
    const targetKey = [namespace, target.apiVersion ?? 'apps/v1', kind, target.name].join('/');
    const hpa = hpaNameOf(object, names);
    return [
      ...clash(
        targets,
        targetKey,
        object,
        ['spec', 'scaleTargetRef', 'name'],
        (owner) => `is "${target.name}": ScaledObject ${owner} already scales this ${kind}`,
      ),
      ...clash(
        hpas,
        `${namespace}/${hpa}`,
        object,
        HPA_NAME,
        (owner) => `is "${hpa}": ScaledObject ${owner} already has an HPA of this name`,
      ),
    ];
  });
}

const HPA_NAME: Path = ['spec', 'advanced', 'horizontalPodAutoscalerConfig', 'name'];

function clash(
  owners: Map<string, string>,
  key: string,
  { metadata }: ScaledObject,
  path: Path,
  describe: (owner: string) => string,
): readonly ObjectProblem[] {
  const owner = owners.get(key);
  if (owner === undefined) owners.set(key, metadata.name);
  // The same object twice is applied twice, and the second wins.
  if (owner === undefined || owner === metadata.name) return [];
  return [{ path, message: describe(owner) }];
}
