/** What is left when the scaler goes: what people have made, and nothing that keeps them from removing it. */
import { expect } from 'chai';
import type { ScaledObject } from '../../src/scaler/resources/scaled-object.ts';
import { ControlPlane } from '../support/cluster/control-plane.ts';
import { workload } from '../support/cluster/manifests.ts';
import { Operator } from '../support/cluster/operator.ts';
import { QueueServer } from '../support/cluster/queue-server.ts';
import { needControlPlane } from '../support/cluster/requirements.ts';
import {
  read,
  replicasOf,
  scaledObject,
  untilCondition,
  untilReplicas,
  untilTold,
} from '../support/cluster/scaler-objects.ts';
import { type PlayOptions, playScaler } from '../support/cluster/scaler-play.ts';
import { freePort } from '../support/free-port.ts';
import { until } from '../support/until.ts';

const FINALIZER = 'finalizer.scaler.tsprov.dev';
const OURS = 'app.kubernetes.io/part-of=tsprov-scaler';
const REGISTRATION = 'v1beta1.external.metrics.k8s.io';

describe('A scaler that is uninstalled', () => {
  let plane: ControlPlane;
  let operator: Operator | undefined;
  const queues = new QueueServer();

  before(async function () {
    await needControlPlane(this);
    plane = await ControlPlane.start();
    await queues.start();
    queues.lengths.set('orders', 3);
    await plane.apply(workload('Deployment', 'orders', 0));
  });

  after(async () => {
    await operator?.stop();
    await queues.stop();
    await plane?.stop();
  });

  const uninstall = (variables: object = {}, options?: PlayOptions) =>
    playScaler(plane, 'uninstall-scaler', variables, options);
  const get = (...words: readonly string[]) => plane.kubectl('get', '--ignore-not-found', ...words);

  /** Installs, runs an operator beside the cluster and lets it wake a workload. */
  async function bringUp(): Promise<void> {
    const { problem } = await playScaler(plane, 'install-scaler');
    expect(problem).to.equal('');
    await endOperator();
    operator = await Operator.another(plane, await freePort(), {
      args: ['--no-apiservice', '--restrict-secret-access'],
    });
    await operator.process.start();
    await plane.apply(scaledObject('orders', { triggers: [queues.trigger('orders')] }));
    await untilCondition(plane, 'orders', 'Ready', 'True ScaledObjectReady');
    await untilReplicas(plane, 'orders', 1);
  }

  /** As the end of its pods would. */
  async function endOperator(): Promise<void> {
    await operator?.stop();
    operator = undefined;
  }

  describe('as it is by default', () => {
    before(async () => {
      await bringUp();
      await endOperator();
    });

    it('asks first', async () => {
      const { code, changed, problem } = await uninstall({ confirm: 'no' });
      expect({ code, changed, problem }).to.deep.equal({
        code: 2,
        changed: [],
        problem: 'Nothing was changed.',
      });
    });

    it('goes as a check has told, with its namespace', async () => {
      const told = await uninstall({}, { words: ['--check'] });
      const done = await uninstall();
      expect(told.problem + done.problem).to.equal('');
      expect(done.changed).to.deep.equal(told.changed);
      const kinds = 'namespaces,deployments,services,clusterroles,clusterrolebindings';
      expect(await get(`${kinds},roles,rolebindings`, '-A', '-l', OURS)).to.equal('');
      expect(await get('namespace', 'tsprov-scaler')).to.equal('');
      expect(await get('apiservice', REGISTRATION)).to.equal('');
      expect((await uninstall()).changed).to.deep.equal([]);
    });

    it('leaves ScaledObjects, HPAs and replicas as they are', async () => {
      const left = await read<ScaledObject>(plane, 'scaledobject', 'orders');
      expect(left?.metadata.finalizers ?? []).to.not.include(FINALIZER);
      expect(await get('hpa', 'scaler-hpa-orders', '-o', 'name')).to.include('orders');
      expect(await replicasOf(plane, 'deployment', 'orders')).to.equal(1);
    });

    it('comes again and goes on with what was left', async () => {
      await plane.kubectl('scale', 'deployment', 'orders', '--replicas=0');
      await bringUp();
      const again = await read<ScaledObject>(plane, 'scaledobject', 'orders');
      expect(again?.metadata.finalizers).to.include(FINALIZER);
      await endOperator();
      expect((await uninstall()).problem).to.equal('');
    });

    it('keeps nobody from deleting these', async () => {
      await plane.kubectl('delete', 'scaledobject', 'orders', '--timeout=120s');
      let seen = '';
      await until(
        async () => {
          seen = await get('hpa', 'scaler-hpa-orders', '-o', 'name');
          return seen === '';
        },
        () => seen,
      );
      expect(await replicasOf(plane, 'deployment', 'orders')).to.equal(1);
    });
  });

  describe('where people have put something into its namespace', () => {
    it('leaves the namespace, and says why', async () => {
      await playScaler(plane, 'install-scaler');
      const words = ['create', 'secret', 'generic', 'rabbit', '-n', 'tsprov-scaler'];
      await plane.kubectl(...words);
      const { said } = await uninstall();
      expect(said).to.match(/The namespace tsprov-scaler stays, because of: Secret rabbit\./);
      expect(await get('secrets', '-n', 'tsprov-scaler', '-o', 'name')).to.equal('secret/rabbit\n');
      await plane.kubectl('delete', 'namespace', 'tsprov-scaler');
    });
  });

  describe('with its kinds', () => {
    const kinds = () => get('crd', '-o', 'name');

    it('lets the operator put things in order for each object', async () => {
      await bringUp();
      await uninstall({ remove_crds: true });
      expect(await kinds()).to.equal('');
      expect(await replicasOf(plane, 'deployment', 'orders')).to.equal(1);
      await untilTold(plane, 'ScaledObject', 'orders', 'ScaledObjectDeleted');
    });

    it('removes objects that no operator looks after any more', async () => {
      await bringUp();
      await endOperator();
      const { problem } = await uninstall({ remove_crds: true });
      expect(problem).to.equal('');
      expect(await kinds()).to.equal('');
    });
  });
});
