/** The gauges of all objects: made when they are first needed, for one generation of an object. */
import type { PodTemplate } from '../authentication/environment.ts';
import type { ScaledJob } from '../resources/scaled-job.ts';
import type { ScaledObject } from '../resources/scaled-object.ts';
import { GaugeSet } from './gauge-set.ts';
import type { TriggerDependencies } from './open-trigger.ts';
import type { ScalerCluster } from './ports.ts';

interface Entry {
  readonly version: string;
  readonly set: GaugeSet;
  /** What its credentials were read from, as `<kind>/<namespace>/<name>`. */
  readonly origins: Set<string>;
}

export class GaugeSets {
  readonly #dependencies: TriggerDependencies;
  readonly #entries = new Map<string, Entry>();

  constructor(dependencies: TriggerDependencies) {
    this.#dependencies = dependencies;
  }

  /** The gauges of an object as it is now; those of an earlier generation are closed. */
  of(object: ScaledObject | ScaledJob, template: PodTemplate | undefined): GaugeSet {
    const key = keyOf(object);
    const version = versionOf(object, template);
    const known = this.#entries.get(key);
    if (known?.version === version) return known.set;
    void known?.set.close();
    const origins = new Set<string>();
    const cluster = tracking(this.#dependencies.cluster, origins);
    const set = new GaugeSet(placesOf(object, template), { ...this.#dependencies, cluster });
    this.#entries.set(key, { version, set, origins });
    return set;
  }

  /** Objects, as `<kind>/<namespace>/<name>`, that have read something that has changed now. */
  usersOf(kind: string, namespace: string, name: string): readonly string[] {
    const origin = `${kind}/${namespace}/${name}`;
    return [...this.#entries].flatMap(([key, { origins }]) => (origins.has(origin) ? key : []));
  }

  async close(kind: string, key: string): Promise<void> {
    const name = `${kind}/${key}`;
    const entry = this.#entries.get(name);
    this.#entries.delete(name);
    await entry?.set.close();
  }

  async closeAll(): Promise<void> {
    const entries = [...this.#entries.values()];
    this.#entries.clear();
    await Promise.all(entries.map(({ set }) => set.close()));
  }
}

function keyOf({ kind, metadata }: Pick<ScaledObject, 'kind' | 'metadata'>): string {
  return `${kind}/${metadata.namespace ?? ''}/${metadata.name}`;
}

/** The cluster, remembering what credentials and values were read from. */
function tracking(cluster: ScalerCluster, origins: Set<string>): ScalerCluster {
  return {
    ...cluster,
    data(kind, namespace, name) {
      origins.add(`${kind}/${namespace}/${name}`);
      return cluster.data(kind, namespace, name);
    },
    authentication(kind, namespace, name) {
      origins.add(`${kind}/${kind === 'TriggerAuthentication' ? namespace : ''}/${name}`);
      return cluster.authentication(kind, namespace, name);
    },
  };
}

/** A changed pod template may change the environment that parameters come from. */
function versionOf(
  { metadata }: Pick<ScaledObject, 'metadata'>,
  template: PodTemplate | undefined,
): string {
  const environment = template?.containers?.map(({ name, env, envFrom }) => ({
    name,
    env,
    envFrom,
  }));
  return `${metadata.uid}/${metadata.generation}/${JSON.stringify(environment)}`;
}

function placesOf(object: ScaledObject | ScaledJob, template: PodTemplate | undefined) {
  const { kind, metadata, spec } = object;
  const isJob = 'jobTargetRef' in spec;
  const containerName = isJob
    ? spec.envSourceContainerName
    : spec.scaleTargetRef.envSourceContainerName;
  const isMember = !isJob && Boolean(spec.advanced?.scalingModifiers?.formula);
  return spec.triggers.map((trigger, index) => ({
    object: { kind, namespace: metadata.namespace ?? '', name: metadata.name },
    spec: trigger,
    index,
    isMember,
    template,
    containerName,
  }));
}
