/** The simulated HPA beside the real controller: the same values lead to the same changes. */
import { expect } from 'chai';
import type { HpaBehavior } from '../../src/scaler/resources/hpa-behavior.ts';
import {
  type HpaController,
  type HpaState,
  NEW_HPA,
  syncHpa,
} from '../../src/scaler/simulate/hpa.ts';
import { ControlPlane } from '../support/cluster/control-plane.ts';
import { workload } from '../support/cluster/manifests.ts';
import {
  installMetrics,
  type MetricsProcess,
  openMetricsProcess,
  SCALED_OBJECT_LABEL,
} from '../support/cluster/metrics-process.ts';
import { needControlPlane } from '../support/cluster/requirements.ts';
import { read } from '../support/cluster/scaler-objects.ts';
import { until } from '../support/until.ts';

const MAX = 20;
const TARGET = 10;
/** The controller's, short so that windows pass. */
const CONTROLLER: HpaController = {
  syncPeriodMs: 1000,
  downscaleStabilizationMs: 5000,
  tolerance: 0.1,
};
/** Syncs in which nothing happens, after which nothing happens any more: all windows and periods have passed. */
const QUIET_SYNCS = 8;

interface Scenario {
  readonly name: string;
  readonly behavior?: HpaBehavior;
  /** Values of each metric, held until nothing changes any more. */
  readonly steps: readonly (readonly (number | undefined)[])[];
}

const pods = (value: number, periodSeconds: number) =>
  ({ type: 'Pods', value, periodSeconds }) as const;
const percent = (value: number, periodSeconds: number) =>
  ({ type: 'Percent', value, periodSeconds }) as const;

const SCENARIOS: readonly Scenario[] = [
  { name: 'plain', steps: [[200], [20], [1000]] },
  { name: 'tolerant', steps: [[10.9], [100], [109], [91], [111], [50]] },
  {
    name: 'policies',
    behavior: {
      scaleUp: { policies: [pods(3, 4)] },
      scaleDown: { policies: [percent(50, 4)], stabilizationWindowSeconds: 0 },
    },
    steps: [[100], [10], [50], [45]],
  },
  {
    name: 'least-policy',
    behavior: {
      scaleUp: { policies: [pods(2, 3), percent(100, 3)], selectPolicy: 'Min' },
      scaleDown: {
        policies: [pods(4, 3), percent(10, 3)],
        selectPolicy: 'Max',
        stabilizationWindowSeconds: 2,
      },
    },
    steps: [[120], [20]],
  },
  {
    name: 'one-way',
    behavior: { scaleUp: { policies: [percent(200, 2)] }, scaleDown: { selectPolicy: 'Disabled' } },
    steps: [[150], [10], [200]],
  },
  {
    name: 'patient',
    behavior: { scaleUp: { stabilizationWindowSeconds: 4, policies: [pods(50, 1)] } },
    steps: [[60], [10], [1000]],
  },
  {
    name: 'blind',
    steps: [
      [50, 50],
      [10, undefined],
      [80, undefined],
      [undefined, undefined],
      [20, 10],
    ],
  },
];

/** The changes that each step leads to. */
function simulate({ behavior, steps }: Scenario): readonly (readonly number[])[] {
  let [replicas, nowMs] = [1, 0];
  let state: HpaState = NEW_HPA;
  return steps.map((values) => {
    const metrics = values.map(() => ({ type: 'AverageValue', target: TARGET }) as const);
    const spec = { minReplicas: 1, maxReplicas: MAX, metrics, behavior };
    const changes: number[] = [];
    for (let sync = 0; sync < 60; sync++, nowMs += CONTROLLER.syncPeriodMs) {
      const replicasNow = { specReplicas: replicas, statusReplicas: replicas, readyReplicas: 0 };
      const decision = syncHpa(spec, state, { nowMs, values, ...replicasNow }, CONTROLLER);
      if (decision.replicas !== replicas) changes.push(decision.replicas);
      ({ replicas, state } = decision);
    }
    return changes;
  });
}

function hpaOf({ name, behavior, steps }: Scenario): object {
  const metrics = (steps[0] ?? []).map((_, index) => ({
    type: 'External',
    external: {
      metric: {
        name: `${name}-${index}`,
        selector: { matchLabels: { [SCALED_OBJECT_LABEL]: name } },
      },
      target: { type: 'AverageValue', averageValue: String(TARGET) },
    },
  }));
  const scaleTargetRef = { apiVersion: 'apps/v1', kind: 'Deployment', name };
  return {
    apiVersion: 'autoscaling/v2',
    kind: 'HorizontalPodAutoscaler',
    metadata: { name, namespace: 'default' },
    spec: {
      scaleTargetRef,
      minReplicas: 1,
      maxReplicas: MAX,
      metrics,
      ...(behavior && { behavior }),
    },
  };
}

describe('the simulated HPA', () => {
  let plane: ControlPlane;
  let api: MetricsProcess;
  const values = new Map<string, number | undefined>();
  /** How often each metric was asked for. */
  const reads = new Map<string, number>();

  before(async function () {
    await needControlPlane(this);
    plane = await ControlPlane.start({
      controllerManagerArgs: [
        `--horizontal-pod-autoscaler-downscale-stabilization=${CONTROLLER.downscaleStabilizationMs}ms`,
      ],
    });
    api = await openMetricsProcess(plane, await installMetrics(plane));
    await api.serve(async (_namespace, name) => {
      reads.set(name, (reads.get(name) ?? 0) + 1);
      const value = values.get(name);
      if (value === undefined) throw new Error(`${name} cannot be read`);
      return [{ name, value }];
    });
  });
  after(async () => {
    await api?.close();
    await plane?.stop();
  });

  /** The changes that the controller has made, by its requests. */
  async function changesOf(name: string): Promise<readonly number[]> {
    const events = await plane.auditLog();
    return events
      .filter(
        ({ user, objectRef, responseStatus }) =>
          user.username.endsWith(':horizontal-pod-autoscaler') &&
          objectRef?.subresource === 'scale' &&
          objectRef.name === name &&
          responseStatus.code === 200,
      )
      .map(({ requestObject }) => (requestObject as { spec: { replicas: number } }).spec.replicas); // A Scale.
  }

  /** The controller sees the workload when its status has replicas: those it counts with, and none is outside of every tolerance. */
  async function start(scenario: Scenario): Promise<void> {
    const { name } = scenario;
    await plane.apply(workload('Deployment', name));
    await until(
      async () =>
        (await read<{ status?: { replicas?: number } }>(plane, 'deployment', name))?.status
          ?.replicas === 1,
      () => name,
    );
    await plane.apply(hpaOf(scenario));
  }

  /** Shows the controller each step until nothing changes any more. */
  async function play(scenario: Scenario, expected: readonly (readonly number[])[]): Promise<void> {
    const { name, steps } = scenario;
    let count = 0;
    for (const [index, step] of steps.entries()) {
      step.forEach((value, metric) => {
        values.set(`${name}-${metric}`, value);
      });
      if (index === 0) await start(scenario);
      count += expected[index]?.length ?? 0;
      const seen = () => ({ name, index, problems: api.problems });
      await until(async () => (await changesOf(name)).length >= count, seen, 120_000);
      const before = reads.get(`${name}-0`) ?? 0;
      await until(() => (reads.get(`${name}-0`) ?? 0) >= before + QUIET_SYNCS, seen, 120_000);
    }
  }

  it('changes replicas as the real controller does', async () => {
    const simulated = SCENARIOS.map((scenario) => [scenario.name, simulate(scenario)] as const);
    const still = simulated.filter(([, changes]) => changes.flat().length < 2);
    expect(still, 'scenarios in which next to nothing happens').to.deep.equal([]);
    await Promise.all(
      SCENARIOS.map((scenario, index) => play(scenario, simulated[index]?.[1] ?? [])),
    );
    const real = await Promise.all(
      SCENARIOS.map(async ({ name }) => [name, await changesOf(name)] as const),
    );
    expect(Object.fromEntries(real)).to.deep.equal(
      Object.fromEntries(simulated.map(([name, changes]) => [name, changes.flat()])),
    );
  });
});
