import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'chai';
import { type Controller, TaskError } from '../../src/engine/module.ts';
import { clusterError } from '../../src/modules/support/kubernetes/cluster-error.ts';
import type { ConnectionArgs } from '../../src/modules/support/kubernetes/connection-args.ts';
import {
  readEnvironment,
  withEnvironment,
} from '../../src/modules/support/kubernetes/environment.ts';
import { openCluster } from '../../src/modules/support/kubernetes/open-cluster.ts';
import { isWithoutProxy } from '../../src/modules/support/kubernetes/proxy-exceptions.ts';
import { issueTestCertificate, makeTestAuthority } from '../support/certificates.ts';
import { freePort } from '../support/free-port.ts';
import { localController } from '../support/local-controller.ts';
import { type LocalHost, openLocalHost } from '../support/local-host.ts';
import { FakeApiServer, json, status } from '../support/scaler/fake-api-server.ts';

/** Arguments as a task gives them: those that are left out are undefined. */
const given = (args: Partial<ConnectionArgs>) => args as ConnectionArgs;

describe('clusters of tasks', () => {
  let here: LocalHost;
  let controller: Controller;
  let api: FakeApiServer;

  beforeEach(async () => {
    here = await openLocalHost();
    controller = localController(here.directory);
    api = await FakeApiServer.start();
  });
  afterEach(async () => {
    for (const note of controller.notes.values())
      await (note as AsyncDisposable)[Symbol.asyncDispose]();
    await Promise.all([here.close(), api.close()]);
  });

  const open = async (args: Partial<ConnectionArgs>, environment: Record<string, string> = {}) =>
    openCluster(await here.writer({ environment, isLocal: true }), controller, given(args));
  const kubeconfig = (server = api.url.href, user: object = { token: 'from-file' }) => ({
    clusters: [{ name: 'k', cluster: { server } }],
    users: [{ name: 'u', user }],
    contexts: [{ name: 'prod', context: { cluster: 'k', user: 'u' } }],
    'current-context': 'prod',
  });
  /** The headers that the API server sees. */
  const headersOf = async (args: Partial<ConnectionArgs>, environment?: Record<string, string>) => {
    api.answer(json({ gitVersion: 'v1.34.4' }));
    await (await open(args, environment)).client.getRaw('/version');
    return api.requests.at(-1)?.headers ?? {};
  };
  const failureOf = async (work: Promise<unknown>) => {
    const error = await work.then(
      () => expect.fail('it went well'),
      (thrown: unknown) => thrown,
    );
    if (!(error instanceof TaskError)) throw error;
    return `${error.message} (${error.hint})`.replaceAll(here.directory, 'DIR');
  };

  it('are reached with a server and a token alone', async () => {
    const headers = await headersOf({ host: api.url.href, api_key: 'secret' });
    expect(headers).to.include({ authorization: 'Bearer secret', 'user-agent': 'tsprov' });
  });

  it('are found by a kubeconfig that the playbook writes as a mapping, or has beside it', async () => {
    expect(await headersOf({ kubeconfig: kubeconfig() })).to.include({
      authorization: 'Bearer from-file',
    });
    writeFileSync(join(here.directory, 'cluster.conf'), JSON.stringify(kubeconfig()));
    expect(await headersOf({ kubeconfig: 'cluster.conf' })).to.include({
      authorization: 'Bearer from-file',
    });
  });

  it('are found by ~/.kube/config of the home that the task has', async () => {
    mkdirSync(join(here.home, '.kube'));
    writeFileSync(join(here.home, '.kube/config'), JSON.stringify(kubeconfig()));
    expect(await headersOf({})).to.include({ authorization: 'Bearer from-file' });
  });

  it('take what the task gives before what the kubeconfig says', async () => {
    const args = { kubeconfig: kubeconfig('https://elsewhere.example'), host: `${api.url.href}/` };
    const more = { api_key: 'other', impersonate_user: 'ada', impersonate_groups: ['a', 'b'] };
    const headers = await headersOf({ ...args, ...more });
    expect(headers).to.include({ authorization: 'Bearer other', 'impersonate-user': 'ada' });
    expect(headers['impersonate-group']).to.equal('a, b');
  });

  it('take from the environment what the task leaves out', async () => {
    const environment = {
      K8S_AUTH_HOST: api.url.href,
      K8S_AUTH_API_KEY: 'of the\nenvironment',
      K8S_AUTH_VERIFY_SSL: 'no',
      K8S_AUTH_IMPERSONATE_GROUPS: 'a,b',
      K8S_AUTH_PROXY_HEADERS_USER_AGENT: 'me',
    };
    const read = await readEnvironment(await here.writer({ environment }));
    expect(withEnvironment(given({ host: 'https://mine.example' }), read)).to.deep.equal({
      host: 'https://mine.example',
      api_key: 'of the\nenvironment',
      validate_certs: false,
      impersonate_groups: ['a', 'b'],
      proxy_headers: { user_agent: 'me' },
    });
  });

  it('are opened once for the same credentials and again for others', async () => {
    const [first, same, other] = await Promise.all([
      open({ host: api.url.href, api_key: 'a' }),
      open({ host: api.url.href, api_key: 'a' }),
      open({ host: api.url.href, api_key: 'b' }),
    ]);
    expect(same.client === first.client).to.equal(true);
    expect(other.client === first.client).to.equal(false);
  });

  const mistakes: Readonly<Record<string, readonly [Partial<ConnectionArgs>, RegExp]>> = {
    'a kubeconfig that is not there': [
      { kubeconfig: '/nowhere/admin.conf' },
      /^there is no kubeconfig \/nowhere\/admin\.conf on this machine \(correct the path/,
    ],
    'no kubeconfig at all': [
      {},
      /^there is no kubeconfig .*\.kube\/config on this machine \(name one/,
    ],
    'a context that is misspelt': [
      { kubeconfig: kubeconfig('https://api.example'), context: 'prd' },
      /no context "prd" \(did you mean prod\?\)$/,
    ],
    'a kubeconfig that is a list': [{ kubeconfig: [] }, /kubeconfig of the task: it is no mapping/],
    'tokens that were to be written back': [
      {
        kubeconfig: kubeconfig('https://api.example', { 'auth-provider': { name: 'oidc' } }),
        persist_config: true,
      },
      /^persist_config: .* \(leave persist_config out/,
    ],
  };
  for (const [what, [args, message]] of Object.entries(mistakes)) {
    it(`say what is wrong with ${what}`, async () => {
      expect(await failureOf(open(args))).to.match(message);
    });
  }

  /** What the operator is told when the API server is asked. */
  const askingFails = async (args: Partial<ConnectionArgs>) => {
    const cluster = await open(args);
    const asked = cluster.client.getRaw('/version').catch(async (error) => {
      throw await clusterError(error, cluster);
    });
    return failureOf(asked);
  };

  it('say that nothing listens', async () => {
    const host = `https://127.0.0.1:${await freePort()}`;
    expect(await askingFails({ host, api_key: 'a' })).to.match(
      /^the API server https:\S+ does not answer: nothing listens there \(is kube-apiserver running/,
    );
  });

  it('say that credentials are refused, and when a client certificate has expired', async () => {
    const refused = status(401, 'Unauthorized', 'Unauthorized');
    api.answer(refused, refused);
    expect(await askingFails({ host: api.url.href, api_key: 'a' })).to.match(
      /does not accept the credentials/,
    );
    const authority = await makeTestAuthority('ca');
    const notAfter = new Date('2020-05-06T00:00:00Z');
    const { cert, key } = await issueTestCertificate(authority, { commonName: 'me', notAfter });
    const base64 = (text: string) => Buffer.from(text).toString('base64');
    const user = { 'client-certificate-data': base64(cert), 'client-key-data': base64(key) };
    api.answer(refused, refused);
    expect(await askingFails({ kubeconfig: kubeconfig(api.url.href, user) })).to.match(
      /^the client certificate of kubeconfig of the task expired on 2020-05-06 \(renew it: kubeadm/,
    );
  });

  it('say what is forbidden, and what kind is meant', async () => {
    const sentence = 'secrets is forbidden: User "u" cannot list resource "secrets"';
    api.answer(status(403, 'Forbidden', sentence));
    expect(await askingFails({ host: api.url.href, api_key: 'a' })).to.match(
      /^secrets is forbidden: .* \(grant the right/,
    );
    const cluster = await open({ host: api.url.href, api_key: 'a' });
    const deployment = { name: 'deployments', kind: 'Deployment', namespaced: true };
    api.answer(json({ resources: [deployment] }), json({ groups: [] }));
    const asked = cluster.discovery.resolve('apps/v1', 'Deploymnt').catch(async (error) => {
      throw await clusterError(error, cluster);
    });
    expect(await failureOf(asked)).to.match(/did you mean Deployment\?/);
  });

  it('are reached without the proxy where no_proxy covers them', () => {
    const covered: readonly (readonly [string, string, boolean])[] = [
      ['api.example.com', '.example.com', true],
      ['example.com', 'example.com', true],
      ['notexample.com', 'example.com', false],
      ['10.1.2.3', 'localhost, 10.0.0.0/8', true],
      ['11.1.2.3', '10.0.0.0/8', false],
      ['[fd00::1]', 'fd00::/8', true],
      ['anything', '*', true],
    ];
    for (const [host, exceptions, isDirect] of covered) {
      expect(isWithoutProxy(host, exceptions), `${host} in ${exceptions}`).to.equal(isDirect);
    }
  });
});
