/** An operator with the account and the options that an installation gives it: what its variables let it do. */
import { expect } from 'chai';
import { ControlPlane } from '../support/cluster/control-plane.ts';
import { queueDefinition, workload } from '../support/cluster/manifests.ts';
import { Operator } from '../support/cluster/operator.ts';
import { QueueServer } from '../support/cluster/queue-server.ts';
import { needControlPlane } from '../support/cluster/requirements.ts';
import { scaledObject, untilNotReady, untilReplicas } from '../support/cluster/scaler-objects.ts';
import { playScaler } from '../support/cluster/scaler-play.ts';
import { freePort } from '../support/free-port.ts';

/** Of the test's own, as the operator is no pod. */
const OWN = /^--(namespace|secure-address|metrics-address)=/;

describe('An installed scaler', () => {
  let plane: ControlPlane;
  let operator: Operator | undefined;
  const queues = new QueueServer();

  before(async function () {
    await needControlPlane(this);
    plane = await ControlPlane.start();
    await queues.start();
  });

  after(async () => {
    await operator?.stop();
    await queues.stop();
    await plane?.stop();
  });

  /** Installs with these variables, and runs an operator with the options of the Deployment. */
  async function run(variables: object): Promise<void> {
    await operator?.stop();
    const { problem } = await playScaler(plane, 'install-scaler', variables);
    expect(problem).to.equal('');
    const words = ['get', 'deployment', 'scaler-operator', '-n', 'tsprov-scaler', '-o', 'json'];
    const { spec } = JSON.parse(await plane.kubectl(...words));
    const [, ...options] = spec.template.spec.containers[0].args as readonly string[];
    const args = [...options.filter((each) => !OWN.test(each)), '--no-apiservice'];
    operator = await Operator.another(plane, await freePort(), { args });
    await operator.process.start();
  }

  const queue = (name: string) => ({
    apiVersion: 'example.com/v1',
    kind: 'Queue',
    metadata: { name, namespace: 'default' },
    spec: { size: 0 },
  });
  const target = (name: string) => ({ apiVersion: 'example.com/v1', kind: 'Queue', name });

  describe('that may scale anything, and read the Secrets of a namespace', () => {
    before(async () => {
      await plane.apply(queueDefinition(), workload('Deployment', 'locked', 0));
      await plane.untilServed('queues.example.com');
      const words = ['--from-literal=key=secret', '-n', 'default'];
      await plane.kubectl('create', 'secret', 'generic', 'door', ...words);
      await run({
        scaler_any_target: true,
        scaler_secret_access: 'namespaces',
        scaler_secret_namespaces: ['default'],
      });
    });

    it('scales a kind of which it may read the scale alone', async () => {
      queues.lengths.set('any', 1);
      const spec = { scaleTargetRef: target('any'), triggers: [queues.trigger('any')] };
      await plane.apply(queue('any'), scaledObject('any', spec));
      await untilReplicas(plane, 'any', 1, 'queue.example.com');
    });

    it('says what it cannot read of such a kind', async () => {
      const rabbit = { queueName: 'mails', mode: 'QueueLength', value: '5', hostFromEnv: 'HOST' };
      const triggers = [{ type: 'rabbitmq', metadata: rabbit }];
      const spec = { scaleTargetRef: target('blind'), triggers };
      await plane.apply(queue('blind'), scaledObject('blind', spec));
      const message = /no pod template .* or the operator may not read it/;
      await untilNotReady(plane, 'blind', 'ScaledObjectCheckFailed', message);
      await plane.kubectl('delete', 'scaledobject', 'any', 'blind');
    });

    it('uses a Secret of the namespace', async () => {
      queues.lengths.set('locked', 1);
      const authentication = {
        apiVersion: 'scaler.tsprov.dev/v1alpha1',
        kind: 'TriggerAuthentication',
        metadata: { name: 'door', namespace: 'default' },
        spec: { secretTargetRef: [{ parameter: 'token', name: 'door', key: 'key' }] },
      };
      const trigger = {
        ...queues.trigger('locked', { authMode: 'bearer' }),
        authenticationRef: { name: 'door' },
      };
      await plane.apply(authentication, scaledObject('locked', { triggers: [trigger] }));
      await untilReplicas(plane, 'locked', 1);
    });

    it('uses none of them once they are not asked for any more', async () => {
      await run({});
      const message =
        'Secret default/door must not be read: the operator reads Secrets of tsprov-scaler only';
      await untilNotReady(plane, 'locked', 'ScaledObjectCheckFailed', message);
    });
  });
});
