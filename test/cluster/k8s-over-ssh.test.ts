import { once } from 'node:events';
import { readFileSync, writeFileSync } from 'node:fs';
import { type AddressInfo, connect, createServer } from 'node:net';
import { expect } from 'chai';
import { stringify } from 'yaml';
import { ControlPlane } from '../support/cluster/control-plane.ts';
import { needControlPlane } from '../support/cluster/requirements.ts';
import { freePort } from '../support/free-port.ts';
import { makeWorld, type PlayedHere, playHere, type World } from '../support/play-here.ts';
import { needSshd, type Sshd, startSshd } from '../support/sshd.ts';
import { writeSshdInventory } from '../support/sshd-inventory.ts';
import { makeUser, type TestUser } from '../support/users.ts';

type Task = Readonly<Record<string, unknown>>;

describe('modules of Kubernetes over ssh', () => {
  let plane: ControlPlane;
  let sshd: Sshd;
  let closed: Sshd;
  let user: TestUser;
  let world: World;
  let admin: string;

  before(async function () {
    needSshd(this);
    await needControlPlane(this);
    plane = await ControlPlane.start();
    sshd = await startSshd();
    closed = await startSshd({ config: ['AllowTcpForwarding no'] });
    user = makeUser({ sudo: ['ALL=(ALL) NOPASSWD: ALL'] });
    world = makeWorld();
    // As kubeadm leaves it: for root alone, with files beside it.
    admin = world.path('admin.conf');
    writeFileSync(admin, readFileSync(plane.kubeconfigPath), { mode: 0o600 });
  });
  after(async () => {
    world?.remove();
    user?.remove();
    await Promise.all([sshd?.stop(), closed?.stop(), plane?.stop()]);
  });

  interface Options extends Readonly<Record<string, unknown>> {
    readonly via?: Sshd;
    readonly port?: number;
    readonly check?: boolean;
  }

  /** Plays tasks on this machine over ssh, as an ordinary user. */
  const play = async (tasks: readonly Task[], options: Options = {}): Promise<PlayedHere> => {
    const { via = sshd, port = via.port, check = false, ...keywords } = options;
    const head = { hosts: 'node', gather_facts: false, become: true, ...keywords };
    world.write({ 'play.yaml': stringify([{ ...head, tasks }]) });
    const inventory = writeSshdInventory(world, via, { user: user.name, port });
    return playHere(world, { flags: { inventory: [inventory], check } });
  };
  const configMap = (data: object) => ({
    kubeconfig: admin,
    definition: {
      apiVersion: 'v1',
      kind: 'ConfigMap',
      metadata: { name: 'c', namespace: 'default' },
      data,
    },
  });
  const info = (more: object = {}) => ({
    kubeconfig: admin,
    kind: 'ConfigMap',
    name: 'c',
    namespace: 'default',
    ...more,
  });

  for (const [way, via] of [
    ['through the connection', () => sshd],
    ['where the SSH server forwards nothing', () => closed],
  ] as const) {
    it(`work with a kubeconfig of the host that root alone may read, ${way}`, async () => {
      const value = way;
      const tasks = [
        { name: 'make', k8s: configMap({ value }) },
        { name: 'again', k8s: configMap({ value }) },
        { name: 'look', k8s_info: info() },
      ];
      const played = await play(tasks, { via: via() });
      expect(played.failures).to.deep.equal([]);
      expect(played.changed).to.deep.equal(['node make']);
      const [found] = played.result('look')['resources'] as { data: object }[];
      expect(found?.data).to.deep.equal({ value });
    });
  }

  it('cost a converged play no frame beyond the first task, and no connection', async () => {
    let connections = 0;
    const counter = createServer((client) => {
      connections += 1;
      const server = connect(sshd.port, '127.0.0.1');
      client.on('error', () => server.destroy()).pipe(server);
      server.on('error', () => client.destroy()).pipe(client);
    }).listen(0, '127.0.0.1');
    await once(counter, 'listening');
    const { port } = counter.address() as AddressInfo; // It listens on TCP.
    const task = { k8s: configMap({ a: '1' }) };
    await play([task]);
    const one = await play([task], { port });
    const many = [...'abcdef'].map((name) => ({ ...task, name }));
    const six = await play(many, { port });
    counter.close();
    expect(six.changed).to.deep.equal([]);
    expect(six.frames).to.equal(one.frames);
    expect(connections).to.equal(2);
  });

  it('scale a deployment, and say how many replicas are ready in vain', async () => {
    await plane.kubectl('create', 'deployment', 'web', '--image=web', '--replicas=1');
    const which = { kubeconfig: admin, api_version: 'apps/v1', kind: 'Deployment', name: 'web' };
    const scale = (replicas: number) => ({
      ...{ ...which, namespace: 'default', replicas, wait_sleep: 1, wait_timeout: 60 },
    });
    const played = await play([
      { name: 'none', k8s_scale: scale(0) },
      { name: 'none again', k8s_scale: scale(0) },
      { name: 'foreseen', k8s_scale: scale(4), check_mode: true },
      { name: 'two', k8s_scale: { ...scale(2), wait_timeout: 1 }, ignore_errors: true },
      { name: 'unwaited', k8s_scale: { ...scale(3), wait: false } },
    ]);
    expect(played.changed).to.deep.equal(['node none', 'node foreseen', 'node unwaited']);
    expect(played.result('two')['msg']).to.match(
      /^Resource scaling timed out: Deployment default\/web has 0 of 2 replicas ready after \d+ seconds/,
    );
    const replicas = await plane.kubectl('get', 'deploy', 'web', '-o', 'jsonpath={.spec.replicas}');
    expect(replicas).to.equal('3');
  });

  it('foresee in a check run what a later look would see', async () => {
    const tasks = [
      { name: 'make', k8s: configMap({ foreseen: 'indeed' }) },
      { name: 'look', k8s_info: info() },
    ];
    const played = await play(tasks, { check: true });
    expect(played.changed).to.deep.equal(['node make']);
    const [found] = played.result('look')['resources'] as { data: { foreseen?: string } }[];
    expect(found?.data.foreseen).to.equal('indeed');
    expect(
      await plane.kubectl('get', 'configmap', 'c', '-o', 'jsonpath={.data.foreseen}'),
    ).to.equal('');
  });

  it('take the default kubeconfig of the user that a task becomes, and the variables of the task', async () => {
    const look = { kind: 'Namespace', name: 'default' };
    const played = await play([
      { name: 'named', k8s_info: look, environment: { KUBECONFIG: admin } },
      { name: 'other name', k8s_info: look, environment: { K8S_AUTH_KUBECONFIG: admin } },
      {
        name: 'home',
        k8s_info: look,
        environment: { HOME: world.path('home') },
        ignore_errors: true,
      },
      { name: 'folder', command: `install -D -m 0600 ${admin} ${world.path('home/.kube/config')}` },
      { name: 'home again', k8s_info: look, environment: { HOME: world.path('home') } },
    ]);
    const foundIn = (title: string) => (played.result(title)['resources'] as object[])?.length;
    expect(played.result('home')['msg']).to.match(
      new RegExp(`^there is no kubeconfig ${world.path('home/.kube/config')} on node`),
    );
    expect(['named', 'other name', 'home again'].map(foundIn)).to.deep.equal([1, 1, 1]);
  });

  it('work from here for a host, with the kubeconfig of this machine', async () => {
    const played = await play(
      [
        {
          name: 'look',
          k8s_info: info({ kubeconfig: plane.kubeconfigPath }),
          delegate_to: 'localhost',
        },
      ],
      { become: false },
    );
    expect(played.failures).to.deep.equal([]);
  });

  it('keep what lets them in out of results, also of failures', async () => {
    const played = await play([
      { name: 'look', k8s_info: info() },
      { name: 'fail', k8s_info: info({ context: 'nothing' }), ignore_errors: true },
    ]);
    const [, key = ''] = /client-key-data":"([^"]+)"/.exec(readFileSync(admin, 'utf8')) ?? [];
    expect(key).not.to.equal('');
    expect(JSON.stringify(played.events)).not.to.include(key);
  });

  const edited = async (name: string, edit: (config: Kubeconfig) => void): Promise<string> => {
    const config = JSON.parse(readFileSync(plane.kubeconfigPath, 'utf8')) as Kubeconfig;
    edit(config);
    world.write({ [name]: JSON.stringify(config) });
    return world.path(name);
  };

  const mistakes: Readonly<Record<string, () => Promise<readonly [object, RegExp]>>> = {
    'a kubeconfig that is not there': async () => [
      { kubeconfig: '/srv/admin.conf' },
      /^node: there is no kubeconfig \/srv\/admin\.conf on node \(/,
    ],
    'a kubeconfig that the user may not read': async () => [
      {},
      new RegExp(`^node: ${admin} on node cannot be read: Permission denied \\(.*become: true\\)$`),
    ],
    'an API server that is not there': async () => {
      const port = await freePort();
      const server = `https://127.0.0.1:${port}`;
      const kubeconfig = await edited('dead.conf', ({ clusters: [entry] }) => {
        entry.cluster['server'] = server;
      });
      return [
        { kubeconfig },
        new RegExp(
          `^node: the API server ${server} does not answer: node does not reach .*refused.*\\(nothing listens`,
          'i',
        ),
      ];
    },
    'an authority that has not signed the server': async () => {
      const kubeconfig = await edited('stranger.conf', ({ clusters: [entry] }) => {
        entry.cluster['certificate-authority'] = plane.authorityPath.replace(
          'ca.crt',
          'front-ca.crt',
        );
      });
      return [
        { kubeconfig },
        /^node: the API server \S+ does not answer: the certificate .* not known/,
      ];
    },
    'a client certificate that has expired': async () => [
      { kubeconfig: await plane.expiredKubeconfig('late') },
      /^node: the client certificate of kubeconfig \S+ expired on \d{4}-\d\d-\d\d \(renew it/,
    ],
    'a user who may not look': async () => [
      { kubeconfig: await plane.kubeconfigFor('nobody') },
      /^node: .*forbidden: User "nobody" cannot get resource "configmaps".*\(grant the right/,
    ],
    'a context that is not there': async () => [
      { context: 'tset' },
      /^node: kubeconfig \S+ has no context "tset" \(did you mean test\?\)$/,
    ],
  };
  for (const [what, mistake] of Object.entries(mistakes)) {
    it(`say what is wrong with ${what}, and the cure`, async () => {
      const [args, message] = await mistake();
      const become = what !== 'a kubeconfig that the user may not read';
      const { failures } = await play([{ name: 'look', k8s_info: info(args) }], { become });
      expect(failures).to.have.length(1);
      expect(failures[0]).to.match(message);
    });
  }

  it('do not fail for a kind that is not served, and say what may be meant', async () => {
    const played = await play([{ name: 'look', k8s_info: info({ kind: 'ConfigMpa' }) }]);
    expect(played.result('look')['api_found']).to.equal(false);
    expect(played.result('look')['msg']).to.match(/did you mean ConfigMap\?$/);
  });
});

interface Kubeconfig {
  readonly clusters: readonly [{ readonly cluster: Record<string, string> }];
}
