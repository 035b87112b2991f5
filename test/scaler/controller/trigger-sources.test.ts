import { expect } from 'chai';
import { VaultClient } from '../../../src/scaler/authentication/vault.ts';
import { gatherSources } from '../../../src/scaler/controller/trigger-sources.ts';
import { rabbitmq } from '../../../src/scaler/triggers/rabbitmq.ts';
import { fakeCluster, newState } from './fake-cluster.ts';

const URL = 'amqp://guest:guest@rabbitmq.shop:5672/orders';
const fromSecret = { valueFrom: { secretKeyRef: { name: 'rabbit', key: 'RabbitMqHost' } } };

/** What the container declares, the host of the trigger, and what that means. */
const CASES = [
  ['the name of a variable', { env: [{ name: 'RabbitMqHost', value: URL }] }, 'RabbitMqHost', URL],
  ['a key of a Secret', { env: [{ name: 'QUEUE', ...fromSecret }] }, 'RabbitMqHost', URL],
  ['a key of a whole Secret', { envFrom: [{ secretRef: { name: 'rabbit' } }] }, 'rabbit-host', URL],
  ['the address itself', { env: [{ name: 'QUEUE', value: 'x' }] }, URL, undefined],
  ['a text that the container does not know', {}, 'RabbitMqHost', undefined],
] as const;

describe('where parameters come from', () => {
  for (const [title, container, host, expected] of CASES) {
    it(`host may be ${title}`, async () => {
      const state = newState();
      state.secrets.set('Secret/shop/rabbit', { RabbitMqHost: URL, 'rabbit-host': URL });
      const cluster = fakeCluster(state);
      const settings = {
        clusterNamespace: 'scaler',
        fileRoot: undefined,
        secretNamespaces: undefined,
        vaultToken: undefined,
      };
      const { sources } = await gatherSources(
        {
          object: { namespace: 'shop' },
          spec: { type: 'rabbitmq', metadata: { queueName: 'q', host } },
          template: { containers: [{ name: 'main', ...container }] },
          containerName: undefined,
        },
        rabbitmq.parameters,
        { cluster, settings, vault: new VaultClient(cluster, settings) },
      );
      expect(sources.metadata).to.deep.equal({
        queueName: 'q',
        [expected === undefined ? 'host' : 'hostFromEnv']: host,
      });
      expect(sources.environment[host]).to.equal(expected);
    });
  }
});
