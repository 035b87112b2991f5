/** Controllers over a cluster in memory, and a trigger whose answers the test gives. */
import { VaultClient } from '../../../src/scaler/authentication/vault.ts';
import type { ControllerDependencies } from '../../../src/scaler/controller/dependencies.ts';
import { GaugeSets } from '../../../src/scaler/controller/gauge-sets.ts';
import type { Recorder } from '../../../src/scaler/controller/recorder.ts';
import { TSPROV_NAMES } from '../../../src/scaler/names.ts';
import type { ScaledObject } from '../../../src/scaler/resources/scaled-object.ts';
import { defineTrigger, number, optional, secret, text } from '../../../src/scaler/trigger.ts';
import { cpu } from '../../../src/scaler/triggers/cpu.ts';
import { type FakeState, fakeCluster, newState } from './fake-cluster.ts';

/** What the sources say, by their name: a number, or why they cannot be read. */
export type Answers = Map<string, number | Error>;

const NOTHING: Recorder = {
  reading: () => {},
  composite: () => {},
  standIn: () => {},
  resource: () => {},
  objectError: () => {},
  paused: () => {},
  loopLatency: () => {},
  forget: () => {},
};

export interface Fixture {
  readonly state: FakeState;
  readonly answers: Answers;
  /** Sources that cannot even be opened. */
  readonly unopenable: Set<string>;
  readonly dependencies: ControllerDependencies;
  /** How many gauges are open. */
  readonly open: () => number;
}

export function fixture(): Fixture {
  const state = newState();
  const answers: Answers = new Map();
  const unopenable = new Set<string>();
  let open = 0;
  const source = defineTrigger({
    type: 'source',
    summary: 'Says what the test says.',
    parameters: {
      source: text('Name of the source.'),
      target: number('Share of one replica.', { default: 5 }),
      password: optional(secret('Password.')),
      port: optional(text('Port.')),
    },
    checkSource: ({ port = '1' }) => (/^\d+$/.test(port) ? [] : [`port must not be ${port}`]),
    metric: (values) => ({ kind: 'external', name: values.source, target: values.target }),
    open: (values) => {
      if (unopenable.has(values.source)) throw new Error('connection refused');
      open += 1;
      return {
        async read() {
          const answer = answers.get(values.source) ?? new Error(`${values.source} is away`);
          if (answer instanceof Error) throw answer;
          return { value: answer, isActive: answer > 0 };
        },
        async close() {
          open -= 1;
        },
      };
    },
  });
  const cluster = fakeCluster(state);
  const settings = {
    clusterNamespace: 'tsprov-scaler',
    fileRoot: undefined,
    secretNamespaces: undefined,
    vaultToken: undefined,
  };
  const triggers = { source, cpu };
  const dependencies: ControllerDependencies = {
    cluster,
    gauges: new GaugeSets({
      triggers,
      cluster,
      settings,
      vault: new VaultClient(cluster, settings),
      http: cluster.http,
      tls: () => ({}),
      now: () => new Date(state.nowMs),
      notify: () => {},
      onRequest: () => {},
    }),
    triggers,
    names: TSPROV_NAMES,
    recorder: NOTHING,
    version: '1.0.0',
    nowMs: () => state.nowMs,
    steadyMs: () => state.nowMs - state.jumpedMs,
  };
  return { state, answers, unopenable, dependencies, open: () => open };
}

/** A ScaledObject of the workload `shop/worker`. */
export function scaledObjectOf(
  spec: Partial<ScaledObject['spec']> = {},
  metadata: Partial<ScaledObject['metadata']> = {},
): ScaledObject {
  return {
    apiVersion: 'scaler.tsprov.dev/v1alpha1',
    kind: 'ScaledObject',
    metadata: {
      name: 'worker',
      namespace: 'shop',
      uid: 'u-1',
      generation: 1,
      creationTimestamp: '2026-01-01T00:00:00Z',
      ...metadata,
    },
    spec: {
      scaleTargetRef: { name: 'worker' },
      pollingInterval: 10,
      triggers: [{ type: 'source', metadata: { source: 'queue' } }],
      ...spec,
    },
  };
}
