import { networkInterfaces } from 'node:os';
import { expect } from 'chai';
import type { StoredHpa } from '../../src/scaler/controller/ports.ts';
import type { ScaledObject } from '../../src/scaler/resources/scaled-object.ts';
import type { AuditEvent } from '../support/cluster/audit.ts';
import { ControlPlane } from '../support/cluster/control-plane.ts';
import { endpointSlice, queueDefinition, workload } from '../support/cluster/manifests.ts';
import { Operator } from '../support/cluster/operator.ts';
import { QueueServer } from '../support/cluster/queue-server.ts';
import { needControlPlane } from '../support/cluster/requirements.ts';
import { scaleWritesOf } from '../support/cluster/scale-record.ts';
import {
  read,
  replicasOf,
  scaledObject,
  untilCondition,
  untilHpaSees,
  untilNotReady,
  untilReplicas,
  untilTold,
} from '../support/cluster/scaler-objects.ts';
import { until } from '../support/until.ts';

const PAUSE = 'autoscaling.scaler.tsprov.dev';
/** What the operator may scale. */
const TARGETS = [
  { group: 'apps', resources: ['deployments', 'statefulsets'] },
  { group: 'example.com', resources: ['queues'] },
];
/** The HPA scales in without waiting for five minutes. */
const AT_ONCE = {
  horizontalPodAutoscalerConfig: { behavior: { scaleDown: { stabilizationWindowSeconds: 0 } } },
};

describe('A ScaledObject on a real control plane', () => {
  let plane: ControlPlane;
  let operator: Operator;
  const queues = new QueueServer();

  before(async function () {
    await needControlPlane(this);
    plane = await ControlPlane.start();
    await queues.start();
    operator = await Operator.start(plane, { rights: { scaler_targets: TARGETS } });
  });

  after(async () => {
    await operator?.stop();
    await queues.stop();
    await plane?.stop();
  });

  const hpaOf = (name: string) => read<StoredHpa>(plane, 'hpa', name);
  const annotate = (name: string, ...pairs: readonly string[]) =>
    plane.kubectl('annotate', '--overwrite', 'scaledobject', name, ...pairs);

  it('makes its HPA with the owner reference of the specification', async () => {
    await plane.apply(
      workload('Deployment', 'first', 0),
      scaledObject('first', { triggers: [queues.trigger('first')] }),
    );
    await untilCondition(plane, 'first', 'Ready', 'True ScaledObjectReady');
    const owner = await read<ScaledObject>(plane, 'scaledobject', 'first');
    const hpa = await hpaOf('scaler-hpa-first');
    expect(hpa?.metadata.ownerReferences).to.deep.equal([
      {
        apiVersion: 'scaler.tsprov.dev/v1alpha1',
        kind: 'ScaledObject',
        name: 'first',
        uid: owner?.metadata.uid,
        controller: true,
        blockOwnerDeletion: true,
      },
    ]);
  });

  it('goes from 0 to 1 to N and back to 0', async () => {
    queues.lengths.set('first', 20);
    await untilReplicas(plane, 'first', 4);
    queues.lengths.set('first', 0);
    await untilReplicas(plane, 'first', 0);
    let log: readonly AuditEvent[] = [];
    await until(
      async () => {
        log = await plane.auditLog();
        return scaleWritesOf(log).some(({ replicas }) => replicas === 0);
      },
      () => 'the audit log tells of no zero',
    );
    const ours = scaleWritesOf(log).filter(({ name }) => name === 'first');
    const counts = ours.map(({ replicas }) => replicas);
    expect(counts, 'the operator itself only wakes and lets sleep').to.deep.equal([1, 0]);
    const writers = log.flatMap(({ objectRef, user }) =>
      objectRef?.name === 'first' && objectRef.subresource === 'scale' ? user.username : [],
    );
    expect(writers.join(), 'the HPA controller does the rest').to.match(/:horizontal-pod-/);
  });

  it('leaves its HPA to the garbage collector, and an event behind', async () => {
    const uid = (await hpaOf('scaler-hpa-first'))?.metadata.uid;
    await plane.kubectl('delete', 'scaledobject', 'first');
    await until(
      async () => (await hpaOf('scaler-hpa-first')) === undefined,
      () => 'the HPA is there',
    );
    let deletion: AuditEvent | undefined;
    // The collector tries again where the HPA controller has written meanwhile.
    await until(
      async () => {
        deletion = (await plane.auditLog()).find(
          ({ verb, objectRef, responseStatus }) =>
            verb === 'delete' &&
            objectRef?.name === 'scaler-hpa-first' &&
            responseStatus.code === 200,
        );
        return deletion !== undefined;
      },
      () => 'the audit log tells of no deletion',
    );
    expect(deletion?.user.username).to.equal(
      'system:serviceaccount:kube-system:generic-garbage-collector',
    );
    expect(deletion?.requestObject).to.deep.include({
      kind: 'DeleteOptions',
      propagationPolicy: 'Background',
    });
    expect(deletion?.requestObject).to.have.nested.property('preconditions.uid', uid);
    const seen = await untilTold(plane, 'ScaledObject', 'first', 'ScaledObjectDeleted');
    expect(seen.every(({ metadata }) => metadata.name.startsWith('first.'))).to.equal(true);
  });

  it('scales a StatefulSet and a custom resource that has a scale', async () => {
    await plane.apply(queueDefinition(), workload('StatefulSet', 'set', 0));
    await plane.untilServed('queues.example.com');
    await plane.apply(
      {
        apiVersion: 'example.com/v1',
        kind: 'Queue',
        metadata: { name: 'custom', namespace: 'default' },
        spec: { size: 0 },
      },
      scaledObject('set', {
        scaleTargetRef: { kind: 'StatefulSet', name: 'set' },
        triggers: [queues.trigger('set')],
      }),
      scaledObject('custom', {
        scaleTargetRef: { apiVersion: 'example.com/v1', kind: 'Queue', name: 'custom' },
        triggers: [queues.trigger('custom')],
      }),
    );
    queues.lengths.set('set', 10).set('custom', 1);
    await untilReplicas(plane, 'set', 2, 'statefulset');
    await untilReplicas(plane, 'custom', 1, 'queue.example.com');
    queues.lengths.set('set', 0).set('custom', 0);
    await untilReplicas(plane, 'set', 0, 'statefulset');
    await untilReplicas(plane, 'custom', 0, 'queue.example.com');
    await plane.kubectl('delete', 'scaledobject', 'set', 'custom');
  });

  it('uses an HPA that runs already, where it is told to take it over', async () => {
    const hpa = {
      apiVersion: 'autoscaling/v2',
      kind: 'HorizontalPodAutoscaler',
      metadata: { name: 'running', namespace: 'default' },
      spec: {
        scaleTargetRef: { apiVersion: 'apps/v1', kind: 'Deployment', name: 'adopted' },
        maxReplicas: 3,
      },
    };
    const spec = {
      advanced: { horizontalPodAutoscalerConfig: { name: 'running' } },
      triggers: [queues.trigger('adopted')],
    };
    await plane.apply(workload('Deployment', 'adopted', 1), hpa, scaledObject('adopted', spec));
    const refusal = 'HPA running exists and has no owner';
    await untilNotReady(plane, 'adopted', 'ScaledObjectCheckFailed', refusal);
    expect((await hpaOf('running'))?.spec.maxReplicas).to.equal(3);
    await annotate('adopted', 'scaledobject.scaler.tsprov.dev/transfer-hpa-ownership=true');
    await untilCondition(plane, 'adopted', 'Ready', 'True ScaledObjectReady');
    const adopted = await hpaOf('running');
    expect(adopted?.metadata.ownerReferences?.[0]?.name).to.equal('adopted');
    expect(adopted?.spec.maxReplicas).to.equal(100);
    expect(await hpaOf('scaler-hpa-adopted')).to.equal(undefined);
    await plane.kubectl('delete', 'scaledobject', 'adopted');
  });

  it('renames its HPA, and mends what others change in it', async () => {
    await plane.apply(
      workload('Deployment', 'drift', 0),
      scaledObject('drift', { triggers: [queues.trigger('drift')] }),
    );
    await untilCondition(plane, 'drift', 'Ready', 'True ScaledObjectReady');
    const most = '{"spec":{"maxReplicas":7}}';
    await plane.kubectl('patch', 'hpa', 'scaler-hpa-drift', '--type=merge', '-p', most);
    await until(
      async () => (await hpaOf('scaler-hpa-drift'))?.spec.maxReplicas === 100,
      () => 'the HPA is not mended',
    );
    await plane.kubectl('delete', 'hpa', 'scaler-hpa-drift');
    await until(
      async () => (await hpaOf('scaler-hpa-drift')) !== undefined,
      () => 'no HPA',
    );
    const renamed = { spec: { advanced: { horizontalPodAutoscalerConfig: { name: 'other' } } } };
    const words = ['--type=merge', '-p', JSON.stringify(renamed)];
    await plane.kubectl('patch', 'scaledobject', 'drift', ...words);
    await until(
      async () => (await hpaOf('other')) !== undefined,
      () => 'no HPA of the new name',
    );
    await until(
      async () => (await hpaOf('scaler-hpa-drift')) === undefined,
      () => 'the old HPA',
    );
    await plane.kubectl('delete', 'scaledobject', 'drift');
  });

  describe('that is paused', () => {
    before(async () => {
      await plane.apply(
        ...['pausing', 'other'].map((name) => workload('Deployment', name, 0)),
        scaledObject('pausing', { advanced: AT_ONCE, triggers: [queues.trigger('pausing')] }),
        scaledObject('other', { triggers: [queues.trigger('other')] }),
      );
      await untilCondition(plane, 'pausing', 'Ready', 'True ScaledObjectReady');
    });
    after(() => plane.kubectl('delete', 'scaledobject', 'other'));

    it('stays as it is', async () => {
      await annotate('pausing', `${PAUSE}/paused=true`);
      await untilCondition(plane, 'pausing', 'Paused', 'True ScaledObjectPaused');
      await until(
        async () => (await hpaOf('scaler-hpa-pausing')) === undefined,
        () => 'an HPA',
      );
      // The HPA controller may have asked for its metric just before.
      await queues.untilAsked('other', 3);
      queues.lengths.set('pausing', 10);
      const asked = queues.asked.get('pausing');
      await annotate('pausing', 'touched=yes');
      await queues.untilAsked('other', 3);
      expect([
        await replicasOf(plane, 'deployment', 'pausing'),
        queues.asked.get('pausing'),
      ]).to.deep.equal([0, asked]);
    });

    it('holds the replicas that are named', async () => {
      await annotate('pausing', `${PAUSE}/paused-replicas=3`);
      await untilReplicas(plane, 'pausing', 3);
    });

    it('goes on when the annotations are gone', async () => {
      await annotate('pausing', `${PAUSE}/paused-`, `${PAUSE}/paused-replicas-`);
      await untilReplicas(plane, 'pausing', 2);
      await untilCondition(plane, 'pausing', 'Paused', 'False ScaledObjectUnpaused');
    });

    it('holds one direction alone', async () => {
      await annotate('pausing', `${PAUSE}/paused-scale-in=true`);
      await until(
        async () =>
          (await hpaOf('scaler-hpa-pausing'))?.spec.behavior?.scaleDown?.selectPolicy ===
          'Disabled',
        () => 'scaling in is not held',
      );
      queues.lengths.set('pausing', 9);
      await untilHpaSees(plane, 'scaler-hpa-pausing', '4500m');
      queues.lengths.set('pausing', 0);
      await untilCondition(plane, 'pausing', 'Active', 'False ScalerNotActive');
      await untilHpaSees(plane, 'scaler-hpa-pausing', '0');
      expect(await replicasOf(plane, 'deployment', 'pausing')).to.equal(2);
      await annotate('pausing', `${PAUSE}/paused-scale-in-`, `${PAUSE}/paused-scale-out=true`);
      await untilReplicas(plane, 'pausing', 0);
      queues.lengths.set('pausing', 10);
      await untilCondition(plane, 'pausing', 'Active', 'True ScalerActive');
      expect(await replicasOf(plane, 'deployment', 'pausing')).to.equal(0);
      await plane.kubectl('delete', 'scaledobject', 'pausing');
    });
  });

  it('keeps its replicas while the source is away, falls back, and comes back', async () => {
    await plane.apply(
      workload('Deployment', 'falling', 0),
      scaledObject('falling', {
        advanced: AT_ONCE,
        fallback: { failureThreshold: 2, replicas: 3 },
        triggers: [queues.trigger('falling')],
      }),
    );
    queues.lengths.set('falling', 5);
    await untilReplicas(plane, 'falling', 1);
    await queues.stop();
    await untilCondition(plane, 'falling', 'Fallback', 'True FallbackExists');
    await untilReplicas(plane, 'falling', 3);
    await queues.start();
    await untilCondition(plane, 'falling', 'Fallback', 'False NoFallbackFound');
    await untilReplicas(plane, 'falling', 1);
    await plane.kubectl('delete', 'scaledobject', 'falling');
  });

  it('puts the replicas back that were there first', async () => {
    await plane.apply(
      workload('Deployment', 'restored', 4),
      scaledObject('restored', {
        advanced: { restoreToOriginalReplicaCount: true },
        triggers: [queues.trigger('restored')],
      }),
    );
    await untilReplicas(plane, 'restored', 0);
    await plane.kubectl('delete', 'scaledobject', 'restored');
    await untilReplicas(plane, 'restored', 4);
  });

  it('scales on a formula over its triggers', async () => {
    await plane.apply(
      workload('Deployment', 'sum', 0),
      scaledObject('sum', {
        advanced: { scalingModifiers: { formula: 'a + b', target: '4', activationTarget: '5' } },
        triggers: [
          { ...queues.trigger('a'), name: 'a' },
          { ...queues.trigger('b'), name: 'b' },
        ],
      }),
    );
    queues.lengths.set('a', 5);
    await untilCondition(plane, 'sum', 'Active', 'False ScalerNotActive');
    queues.lengths.set('b', 7);
    await untilReplicas(plane, 'sum', 3);
    await plane.kubectl('delete', 'scaledobject', 'sum');
  });

  it('tells the author what is wrong, at once and all of it', async () => {
    await plane.apply(
      workload('Deployment', 'wrong', 1),
      scaledObject('wrong', {
        idleReplicaCount: 2,
        minReplicaCount: 1,
        triggers: [
          { type: 'metrcs-api', metadata: {} },
          { type: 'datadog', metadata: {} },
        ],
      }),
    );
    const message = await untilCondition(plane, 'wrong', 'Ready', 'False ScaledObjectCheckFailed');
    expect(message).to.include('spec.idleReplicaCount is 2');
    expect(message).to.include('did you mean "metrics-api"?');
    expect(message).to.include('"datadog" is not supported yet');
    await untilTold(plane, 'ScaledObject', 'wrong', 'ScaledObjectCheckFailed');
    await plane.kubectl('delete', 'scaledobject', 'wrong');
  });

  for (const kind of ['Deployment', 'StatefulSet'] as const) {
    it(`waits for a ${kind} that is not there yet`, async () => {
      const name = `late-${kind.toLowerCase()}`;
      queues.lengths.set(name, 5);
      const scaleTargetRef = { kind, name };
      const triggers = [queues.trigger(name)];
      await plane.apply(scaledObject(name, { scaleTargetRef, triggers }));
      await untilNotReady(plane, name, 'ScaledObjectCheckFailed', "Target resource doesn't exist");
      await plane.apply(workload(kind, name, 0));
      await untilReplicas(plane, name, 1, kind);
    });
  }

  it('asks every endpoint of a Service that is ready', async () => {
    const fleet = new QueueServer();
    await fleet.start('0.0.0.0');
    fleet.lengths.set('fleet', 5);
    const own = Object.values(networkInterfaces()).flatMap((each) => each ?? []);
    const reachable = own.find(({ family, internal }) => family === 'IPv4' && !internal)?.address;
    const trigger = fleet.trigger('fleet', {
      url: `http://fleet.default:${fleet.port}/fleet`,
      aggregateFromKubeServiceEndpoints: 'true',
    });
    await plane.apply(
      workload('Deployment', 'fleet', 0),
      endpointSlice('fleet', { '192.0.2.1': false, [reachable ?? '']: true }),
      scaledObject('fleet', { triggers: [trigger] }),
    );
    await untilReplicas(plane, 'fleet', 1);
    await untilCondition(plane, 'fleet', 'Ready', 'True ScaledObjectReady');
    await fleet.stop();
  });

  it('is refused at once by the API server where its schema is broken', async () => {
    const tooMany = scaledObject('refused', {
      minReplicaCount: 101,
      triggers: [queues.trigger('x')],
    });
    const error = await plane.apply(tooMany).catch((reason: Error) => reason.message);
    expect(error).to.include('minReplicaCount must be less than or equal to maxReplicaCount');
  });
});
