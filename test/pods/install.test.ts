/** The scaler as it is installed: an image that no registry has, put on a node by the playbook, and pods of it at work. */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { Buildkit, buildkitPrograms, nodeImage } from '../support/cluster/image-builder.ts';
import { IMAGE } from '../support/cluster/pod-image.ts';
import {
  allReady,
  container,
  runningWorkload,
  untilPodCounts,
} from '../support/cluster/pod-manifests.ts';
import { PodCluster } from '../support/cluster/pods.ts';
import { needImageBuilder } from '../support/cluster/requirements.ts';
import { scaledObject, untilCondition } from '../support/cluster/scaler-objects.ts';
import { skipFor } from '../support/skip.ts';
import { type RedisServer, startRedis } from '../support/sources/redis.ts';
import { whyNot } from '../support/sources/server.ts';
import { REPOSITORY, runTsprov } from '../support/tsprov.ts';
import { until } from '../support/until.ts';

const NAMESPACE = 'tsprov-scaler';
const OPERATOR = 'app.kubernetes.io/name=scaler-operator';

/** The HPA scales in without waiting for five minutes. */
const AT_ONCE = {
  horizontalPodAutoscalerConfig: { behavior: { scaleDown: { stabilizationWindowSeconds: 0 } } },
};

const INTRUDER = {
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: { name: 'intruder', namespace: NAMESPACE },
  spec: { containers: [{ name: 'main', image: IMAGE, securityContext: { privileged: true } }] },
};

describe('The scaler, installed by the playbook', () => {
  let cluster: PodCluster;
  let buildkit: Buildkit;
  let redis: RedisServer;
  let folder = '';

  before(async function () {
    await needImageBuilder(this);
    skipFor(whyNot(['redis-server'], 'redis-server'), this);
    folder = await mkdtemp(join(tmpdir(), 'install-'));
    cluster = await PodCluster.start();
    buildkit = await Buildkit.start(folder);
    const address = String(cluster.plane.address);
    redis = await startRedis('--bind', '127.0.0.1', address, '--protected-mode', 'no');
  });

  after(async () => {
    await redis?.stop();
    await buildkit?.stop();
    await cluster?.stop();
    await rm(folder, { recursive: true, force: true });
  });

  const play = (...options: readonly string[]) => playbook('install', {}, ...options);
  const playbook = async (name: string, given: object, ...options: readonly string[]) => {
    const variables = {
      kubeconfig: cluster.plane.kubeconfigPath,
      scaler_image_folder: join(folder, 'image'),
      scaler_image_cache: join(folder, 'cache'),
      scaler_containerd_socket: cluster.containerdSocket,
      scaler_buildkit_address: buildkit.address,
      scaler_node_image_archive: await nodeImage(),
      ...given,
    };
    const words = ['-i', 'localhost,', '-c', 'local', '-e', JSON.stringify(variables)];
    const file = join(REPOSITORY, `playbooks/${name}-scaler.yaml`);
    const { code, stdout, stderr } = await runTsprov(['play', file, ...words, ...options], {
      cwd: folder,
      env: { ...process.env, PATH: `${await buildkitPrograms()}:${process.env['PATH']}` },
    });
    expect(code, stdout + stderr).to.equal(0);
    return stdout;
  };
  const operators = async () => {
    const words = ['get', 'pods', '-n', NAMESPACE, '-l', OPERATOR, '-o', 'json'];
    const { items } = JSON.parse(await cluster.plane.kubectl(...words)) as {
      items: readonly {
        readonly metadata: { readonly name: string };
        readonly spec: { readonly containers: readonly { readonly image: string }[] };
        readonly status: {
          readonly containerStatuses?: readonly {
            readonly ready: boolean;
            readonly restartCount: number;
          }[];
        };
      }[];
    }; // As the API has them.
    return items;
  };
  const restartsOf = (found: Awaited<ReturnType<typeof operators>>) =>
    Object.fromEntries(
      found.map(({ metadata, status }) => [
        metadata.name,
        status.containerStatuses?.[0]?.restartCount,
      ]),
    );
  const untilBothReady = async () => {
    let found: Awaited<ReturnType<typeof operators>> = [];
    await until(
      async () => {
        found = await operators();
        const ready = found.filter(({ status }) => status.containerStatuses?.[0]?.ready);
        return found.length === 2 && ready.length === 2;
      },
      () => found,
    );
    return found;
  };
  /** The pod that leads, once one does, and it is another. */
  const leader = async (other = '') => {
    const path = 'jsonpath={.spec.holderIdentity}';
    const words = ['get', 'lease', 'scaler-operator', '-n', NAMESPACE, '-o', path];
    let found = '';
    await until(
      async () => {
        found = (await cluster.plane.kubectl(...words)).replace(/_.*$/, '');
        return found !== '' && found !== other;
      },
      () => found,
    );
    return found;
  };
  const pods = (count: number) => untilPodCounts(cluster.plane, 'app=orders', allReady(count));
  const setLength = async (length: number) => {
    await redis.client.del('orders');
    if (length > 0) await redis.client.rpush('orders', ...Array<string>(length).fill('order'));
  };

  it('is told by a check run, which changes nothing', async () => {
    expect(await play('--check')).to.match(/changed=[1-9]/);
    expect(await cluster.plane.kubectl('get', 'namespaces', '-o', 'name')).not.to.include(
      NAMESPACE,
    );
  });

  it('is built, loaded and started: two pods, which are ready', async () => {
    await play();
    for (const { spec, status } of await untilBothReady()) {
      expect(spec.containers[0]?.image).to.match(/^localhost\/tsprov-scaler:.*-[0-9a-f]{12}$/);
      expect(status.containerStatuses?.[0]).to.include({ restartCount: 0 });
    }
  });

  it('is as it should be: playing again changes nothing', async () => {
    expect(await play()).to.match(/changed=0/);
    expect(await play('--check')).to.match(/changed=0/);
  });

  it('is in a namespace that takes no pod with privileges', async () => {
    const refusal = await cluster.plane.apply(INTRUDER).then(
      () => '',
      (error: Error) => error.message,
    );
    expect(refusal).to.include('violates PodSecurity "restricted');
  });

  it('logs for kubectl', async () => {
    const text = await cluster.plane.kubectl('logs', '-n', NAMESPACE, await leader());
    expect(JSON.parse(text.split('\n')[0] ?? '')).to.have.property('msg');
  });

  it('scales from no pod to one, to many and to none, by a list in Redis', async () => {
    const address = `${cluster.plane.address}:${redis.addresses[0]?.split(':')[1]}`;
    await cluster.plane.apply(
      runningWorkload(cluster, 'Deployment', 'orders', 0, [container('main', [])]),
      scaledObject('orders', {
        advanced: AT_ONCE,
        triggers: [{ type: 'redis', metadata: { address, listName: 'orders', listLength: '5' } }],
      }),
    );
    await untilCondition(cluster.plane, 'orders', 'Ready', 'True ScaledObjectReady');
    for (const [length, count] of [
      [1, 1],
      [20, 4],
      [8, 2],
      [0, 0],
    ] as const) {
      await setLength(length);
      await pods(count);
    }
  });

  it('goes on with the other pod when the one that leads is deleted', async () => {
    const before = await leader();
    await cluster.plane.kubectl('delete', 'pod', '-n', NAMESPACE, before, '--wait=false');
    await setLength(20);
    await pods(4);
    await leader(before);
    await setLength(0);
    await pods(0);
  });

  it('goes on when containerd of the node is started again', async () => {
    const before = restartsOf(await untilBothReady());
    await cluster.restartContainerd();
    await setLength(8);
    await pods(2);
    await setLength(0);
    await pods(0);
    expect(restartsOf(await untilBothReady())).to.deep.equal(before);
  });

  it('takes another image, pod by pod, and scaling goes on', async () => {
    const imageOf = ({ spec }: Awaited<ReturnType<typeof operators>>[number]) =>
      spec.containers[0]?.image;
    const before = (await operators()).map(imageOf);
    await playbook('install', { scaler_node_image: 'another' });
    for (const operator of await untilBothReady()) expect(before).not.to.include(imageOf(operator));
    await setLength(8);
    await pods(2);
  });

  it('goes when it is uninstalled, and leaves the pods of others', async () => {
    await playbook('uninstall', { confirm: 'yes' });
    expect(await cluster.plane.kubectl('get', 'namespaces', '-o', 'name')).not.to.include(
      NAMESPACE,
    );
    await pods(2);
  });
});
