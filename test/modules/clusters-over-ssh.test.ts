import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { connect } from '../../src/engine/connection/connect.ts';
import type { Connection } from '../../src/engine/connection/connection.ts';
import { HostWriter } from '../../src/engine/host/writer.ts';
import type { Controller } from '../../src/engine/module.ts';
import { HostRuntime } from '../../src/engine/run/host-runtime.ts';
import { clusterError } from '../../src/modules/support/kubernetes/cluster-error.ts';
import type { ConnectionArgs } from '../../src/modules/support/kubernetes/connection-args.ts';
import { openCluster } from '../../src/modules/support/kubernetes/open-cluster.ts';
import { rejection, sshSettings } from '../engine/connection/settings.ts';
import { FakeHost, type FakeHostData } from '../support/fake-host.ts';
import { freePort } from '../support/free-port.ts';
import { localController } from '../support/local-controller.ts';
import { FakeApiServer, json } from '../support/scaler/fake-api-server.ts';
import { needSshd, type Sshd, startSshd } from '../support/sshd.ts';

/** Arguments as a task gives them: those that are left out are undefined. */
const given = (args: Partial<ConnectionArgs>) => args as ConnectionArgs;

const kubeconfig = (server: string, user: object = { token: 'from-file' }) =>
  JSON.stringify({
    clusters: [{ name: 'k', cluster: { server } }],
    users: [{ name: 'u', user }],
    contexts: [{ name: 'prod', context: { cluster: 'k', user: 'u' } }],
    'current-context': 'prod',
  });

describe('clusters of hosts over ssh', () => {
  const dir = mkdtempSync(join(tmpdir(), 'tsprov-clusters-'));
  let sshd: Sshd;
  let connection: Connection;
  let controller: Controller;
  let runtime: HostRuntime;
  let api: FakeApiServer;

  before(async function () {
    needSshd(this);
    sshd = await startSshd();
  });
  after(async () => {
    await sshd?.stop();
    rmSync(dir, { recursive: true });
  });
  beforeEach(async () => {
    controller = localController('/nowhere');
    runtime = new HostRuntime();
    connection = await connect(sshSettings(sshd));
    api = await FakeApiServer.start();
  });
  afterEach(async () => {
    for (const note of controller.notes.values())
      await (note as AsyncDisposable)[Symbol.asyncDispose]();
    await Promise.all([connection.close(), api.close()]);
  });

  /** What a task sees. */
  const task = async () => {
    const settings = sshSettings(sshd);
    const memory = runtime.memoryFor({ connection: settings, become: undefined, environment: {} });
    const shell = await connection.shell();
    return new HostWriter({ name: 'web1', shell, memory, gatherFacts: async () => new Map() });
  };
  const ask = async (args: Partial<ConnectionArgs>) => {
    const cluster = await openCluster(await task(), controller, given(args));
    return cluster.client.getRaw('/version').catch(async (error) => {
      throw await clusterError(error, cluster);
    });
  };
  const written = (name: string, text: string) => {
    writeFileSync(join(dir, name), text, { mode: 0o600 });
    return join(dir, name);
  };

  it('are reached through the connection, with the kubeconfig of the host, read once', async () => {
    const path = written('admin.conf', kubeconfig(api.url.href));
    api.answer(json({ gitVersion: 'v1' }), json({ gitVersion: 'v2' }), json({ gitVersion: 'v3' }));
    await ask({ kubeconfig: path });
    expect(api.requests[0]?.headers).to.include({ authorization: 'Bearer from-file' });
    const { frames } = connection;
    await ask({ kubeconfig: path });
    expect(connection.frames).to.equal(frames);
  });

  it('are those of a kubeconfig that has changed, after a change of the host', async () => {
    const path = written('changing.conf', kubeconfig(api.url.href));
    api.answer(json({}), json({}));
    await ask({ kubeconfig: path });
    written('changing.conf', kubeconfig(api.url.href, { token: 'another' }));
    runtime.changed();
    await ask({ kubeconfig: path });
    expect(api.requests[1]?.headers).to.include({ authorization: 'Bearer another' });
  });

  it('are reached again through a connection that was opened anew', async () => {
    const path = written('again.conf', kubeconfig(api.url.href));
    api.answer(json({}), json({}));
    await ask({ kubeconfig: path });
    await connection.close();
    connection = await connect(sshSettings(sshd));
    await ask({ kubeconfig: path });
    expect(api.requests.length).to.equal(2);
  });

  it('say that nothing listens on the host', async () => {
    const port = await freePort();
    const path = written('dead.conf', kubeconfig(`https://127.0.0.1:${port}`));
    const error = await rejection(ask({ kubeconfig: path }));
    expect(error.message).to.match(
      new RegExp(
        `^the API server https://127.0.0.1:${port} does not answer: web1 does not reach 127.0.0.1:${port}: .*refused`,
        'i',
      ),
    );
    expect(error['hint']).to.match(/^nothing listens there/);
  });

  it('say which file of a kubeconfig is not there', async () => {
    const path = written(
      'lost.conf',
      kubeconfig(api.url.href, { 'client-certificate': 'me.crt', 'client-key': 'me.key' }),
    );
    const error = await rejection(ask({ kubeconfig: path }));
    expect(error.message).to.equal(`there is no file ${dir}/me.crt on web1`);
  });

  it('refuse plugins of the host', async () => {
    const exec = { command: 'aws', apiVersion: 'client.authentication.k8s.io/v1' };
    const path = written('plugin.conf', kubeconfig(api.url.href, { exec }));
    const error = await rejection(ask({ kubeconfig: path }));
    expect(error.message).to.match(/with the plugin aws, which is not run on web1$/);
    expect(error['hint']).to.match(/delegate_to: localhost/);
  });
});

describe('a kubeconfig of a host that is not found', () => {
  const cases: Readonly<Record<string, readonly [Partial<ConnectionArgs>, FakeHostData, RegExp]>> =
    {
      'names that of K3s, where it is there': [
        {},
        { paths: { '/etc/rancher/k3s/k3s.yaml': {} } },
        /^there is no kubeconfig \/root\/\.kube\/config on node1 \(did you mean kubeconfig: \/etc\/rancher\/k3s\/k3s\.yaml\?\)$/,
      ],
      'names that of kubeadm for a path that is wrong': [
        { kubeconfig: '/etc/kubernetes/admin.config' },
        { paths: { '/etc/kubernetes/admin.conf': {} } },
        /^there is no kubeconfig \/etc\/kubernetes\/admin\.config on node1 \(did you mean kubeconfig: \/etc\/kubernetes\/admin\.conf\?\)$/,
      ],
      'says what else can be done': [
        {},
        {},
        /^there is no kubeconfig \S+ on node1 \(name one .*delegate the task to a control-plane node\)$/,
      ],
    };
  for (const [what, [args, data, message]] of Object.entries(cases)) {
    it(what, async () => {
      const home = { match: `printf '%s\\0' "\${HOME+=\${HOME}}"`, stdout: '=/root\0' };
      const host = new FakeHost({ ...data, commands: [home, { match: '*' }] });
      const error = await rejection(openCluster(host, localController('/nowhere'), given(args)));
      expect(`${error.message} (${error['hint']})`).to.match(message);
    });
  }
});
