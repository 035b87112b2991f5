/** What is wrong with a ScaledObject or ScaledJob, beyond what its schema says. No I/O. */
import { keysOf, type Names } from '../names.ts';
import type { ScaledJob } from '../resources/scaled-job.ts';
import type { ScaledObject, ScaledObjectSpec } from '../resources/scaled-object.ts';
import type { TriggerSpec } from '../resources/triggers.ts';
import type { AnyTrigger } from '../trigger.ts';

export interface SpecProblem {
  /** Path below the object, such as `spec.triggers[1].name`. */
  readonly path: string;
  /** A sentence that goes on after the path. */
  readonly message: string;
}

type Registry = Readonly<Record<string, AnyTrigger>>;

const LABEL_LENGTH = 63;

/** Every problem of a ScaledObject. */
export function checkScaledObject(
  object: ScaledObject,
  triggers: Registry,
  names: Names,
): readonly SpecProblem[] {
  const { spec } = object;
  return [
    ...checkName(object),
    ...checkBounds(spec),
    ...checkTriggers(spec.triggers, triggers),
    ...checkFallback(spec, triggers),
    ...checkModifiers(spec, triggers),
    ...checkOwnership(object, names),
  ];
}

/** Every problem of a ScaledJob. */
export function checkScaledJob(job: ScaledJob, triggers: Registry): readonly SpecProblem[] {
  const typed = job.spec.triggers.flatMap((trigger, index) =>
    'metricType' in trigger && trigger.metricType
      ? [{ path: `spec.triggers[${index}].metricType`, message: 'cannot be set in a ScaledJob' }]
      : [],
  );
  return [...checkName(job), ...checkTriggers(job.spec.triggers, triggers), ...typed];
}

function checkName({ metadata: { name } }: Pick<ScaledObject, 'metadata'>): readonly SpecProblem[] {
  if (name.length <= LABEL_LENGTH) return [];
  return [{ path: 'metadata.name', message: `must be at most ${LABEL_LENGTH} characters long` }];
}

function checkBounds(spec: ScaledObjectSpec): readonly SpecProblem[] {
  const { minReplicaCount: min = 0, maxReplicaCount: max = 100, idleReplicaCount: idle } = spec;
  const problems: SpecProblem[] = [];
  if (min > max) {
    problems.push({
      path: 'spec.minReplicaCount',
      message: `is ${min}: it must not be more than maxReplicaCount (${max})`,
    });
  }
  // As KEDA has it, a least of 0 that is written out lets idle be 0 too.
  const bound = spec.minReplicaCount === 0 ? 1 : min;
  if (idle !== undefined && idle >= bound) {
    problems.push({
      path: 'spec.idleReplicaCount',
      message: `is ${idle}: it must be less than minReplicaCount (${bound})`,
    });
  }
  return problems;
}

function checkTriggers(specs: readonly TriggerSpec[], registry: Registry): readonly SpecProblem[] {
  if (specs.length === 0)
    return [{ path: 'spec.triggers', message: 'must hold at least one trigger' }];
  const names = specs.map(({ name }) => name);
  return specs.flatMap(({ name, type, useCachedMetrics }, index) => {
    const problems: SpecProblem[] = [];
    if (name !== undefined && name !== '' && names.indexOf(name) < index) {
      problems.push({
        path: `spec.triggers[${index}].name`,
        message: `is "${name}", as that of trigger ${names.indexOf(name)}: names must differ`,
      });
    }
    if (useCachedMetrics === true && registry[type]?.canCache === false) {
      problems.push({
        path: `spec.triggers[${index}].useCachedMetrics`,
        message: `cannot be set for ${type}`,
      });
    }
    return problems;
  });
}

/** Whether the HPA reads the trigger from us. */
function isExternalType(type: string, registry: Registry): boolean {
  const trigger = registry[type];
  return trigger === undefined || trigger.open !== undefined;
}

function checkFallback(spec: ScaledObjectSpec, registry: Registry): readonly SpecProblem[] {
  const { fallback, triggers, advanced } = spec;
  if (fallback === undefined) return [];
  const problems: SpecProblem[] = [];
  if (!triggers.some(({ type }) => isExternalType(type, registry))) {
    problems.push({ path: 'spec.fallback', message: 'needs a trigger that is not cpu or memory' });
  }
  if (fallback.behavior === 'scalingModifiers' && !advanced?.scalingModifiers?.formula) {
    problems.push({
      path: 'spec.fallback.behavior',
      message: 'is scalingModifiers: that needs advanced.scalingModifiers.formula',
    });
  }
  return problems;
}

function checkModifiers(spec: ScaledObjectSpec, registry: Registry): readonly SpecProblem[] {
  const modifiers = spec.advanced?.scalingModifiers;
  if (modifiers === undefined || Object.values(modifiers).every((value) => !value)) return [];
  const path = 'spec.advanced.scalingModifiers';
  const problems: SpecProblem[] = [];
  if (!modifiers.formula) problems.push({ path: `${path}.formula`, message: 'is missing' });
  if (!(numberOf(modifiers.target) > 0)) {
    problems.push({
      path: `${path}.target`,
      message: `must be a number above 0 and not "${modifiers.target ?? ''}"`,
    });
  }
  if (modifiers.activationTarget && Number.isNaN(numberOf(modifiers.activationTarget))) {
    problems.push({
      path: `${path}.activationTarget`,
      message: `must be a number and not "${modifiers.activationTarget}"`,
    });
  }
  spec.triggers.forEach(({ name, type }, index) => {
    if (!name && isExternalType(type, registry)) {
      problems.push({
        path: `spec.triggers[${index}].name`,
        message: 'is missing: a formula needs the name of every trigger but cpu and memory',
      });
    }
  });
  return problems;
}

function checkOwnership({ metadata, spec }: ScaledObject, names: Names): readonly SpecProblem[] {
  const key = keysOf(names).transferHpaOwnership;
  const isTransfer = metadata.annotations?.[key] === 'true';
  if (!isTransfer || spec.advanced?.horizontalPodAutoscalerConfig?.name) return [];
  return [
    {
      path: `metadata.annotations[${key}]`,
      message: 'needs the name of the HPA in advanced.horizontalPodAutoscalerConfig.name',
    },
  ];
}

function numberOf(text: string | undefined): number {
  return text ? Number(text) : Number.NaN;
}
