import { chmod, mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { type AccessOptions, readAccess } from '../../src/kubernetes/kubeconfig.ts';
import { FakeClock } from '../support/scaler/fake-clock.ts';

const base64 = (text: string) => Buffer.from(text).toString('base64');

/** A kubeconfig of one context `c` with these entries. */
const config = (user: object = {}, cluster: object = {}) => ({
  clusters: [{ name: 'k', cluster: { server: 'https://api.example:6443', ...cluster } }],
  users: [{ name: 'u', user }],
  contexts: [{ name: 'c', context: { cluster: 'k', user: 'u', namespace: 'shop' } }],
  'current-context': 'c',
});

describe('kubeconfig', () => {
  let folder: string;
  let clock: FakeClock;

  /** Writes files, by their names in the folder; values that are no text as JSON. */
  const write = async (files: Readonly<Record<string, unknown>>) => {
    for (const [name, value] of Object.entries(files)) {
      await writeFile(
        join(folder, name),
        typeof value === 'string' ? value : JSON.stringify(value),
      );
    }
  };
  const read = (options: AccessOptions = {}) =>
    readAccess({
      kubeconfig: join(folder, 'config'),
      env: {},
      clock,
      serviceAccountFolder: folder,
      ...options,
    });
  const errorOf = (options?: AccessOptions) =>
    read(options).then(
      () => expect.fail('it was read'),
      (error: Error) => error.message.replaceAll(folder, 'DIR'),
    );

  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'kubeconfig-'));
    clock = new FakeClock();
  });
  afterEach(() => rm(folder, { recursive: true }));

  const users = {
    'a token': [{ token: 't' }, { headers: { authorization: 'Bearer t' } }],
    'a password': [
      { username: 'a', password: 'b' },
      { headers: { authorization: `Basic ${base64('a:b')}` } },
    ],
    'a certificate written into it': [
      { 'client-certificate-data': base64('CERT'), 'client-key-data': base64('KEY') },
      { headers: {}, tls: { cert: 'CERT', key: 'KEY' } },
    ],
    'files beside it': [
      { 'client-certificate': 'own.crt', 'client-key': 'own.key', tokenFile: 'token' },
      { headers: { authorization: 'Bearer t1' }, tls: { cert: 'CERT', key: 'KEY' } },
    ],
    'another user to act as': [
      { token: 't', as: 'eve' },
      { headers: { authorization: 'Bearer t', 'impersonate-user': 'eve' } },
    ],
    nothing: [{}, { headers: {} }],
  } as const;
  for (const [title, [user, expected]] of Object.entries(users)) {
    it(`makes a user known by ${title}`, async () => {
      await write({ config: config(user), 'own.crt': 'CERT', 'own.key': 'KEY', token: 't1\n' });
      const access = await read();
      expect(await access.credentials()).to.deep.equal({ tls: {}, ...expected });
      expect([access.server.href, access.namespace]).to.deep.equal([
        'https://api.example:6443/',
        'shop',
      ]);
    });
  }

  it('knows the authorities, the name and the proxy of a cluster', async () => {
    const cluster = {
      'certificate-authority': 'ca.crt',
      'tls-server-name': 'kubernetes',
      'insecure-skip-tls-verify': true,
      'proxy-url': 'http://proxy.example:3128',
    };
    await write({ config: config({}, cluster), 'ca.crt': 'CA' });
    const access = await read();
    const tls = { ca: 'CA', servername: 'kubernetes', rejectUnauthorized: false };
    expect((await access.credentials()).tls).to.deep.equal(tls);
    expect(access.proxy?.host).to.equal('proxy.example:3128');
  });

  it('reads a token again after a minute or when it was refused, and keeps its connections', async () => {
    await write({ config: config({ tokenFile: 'token' }), token: 't1' });
    const access = await read();
    const first = await access.credentials();
    await write({ token: 't2' });
    expect((await access.credentials()).headers).to.deep.equal({ authorization: 'Bearer t1' });
    await clock.advance(60_000);
    const second = await access.credentials();
    expect(second.headers).to.deep.equal({ authorization: 'Bearer t2' });
    expect(second.tls).to.equal(first.tls);
    await write({ token: 't3' });
    access.refuse();
    expect((await access.credentials()).headers).to.deep.equal({ authorization: 'Bearer t3' });
  });

  it('goes on with the token it has while the file is being exchanged', async () => {
    await write({ config: config({ tokenFile: 'token' }), token: 't1' });
    const access = await read();
    await access.credentials();
    await rm(join(folder, 'token'));
    await clock.advance(60_000);
    expect((await access.credentials()).headers).to.deep.equal({ authorization: 'Bearer t1' });
  });

  it('makes new connections when the authorities change', async () => {
    await write({ config: config({}, { 'certificate-authority': 'ca.crt' }), 'ca.crt': 'CA1' });
    const access = await read();
    expect((await access.credentials()).tls.ca).to.equal('CA1');
    await write({ 'ca.crt': 'CA2' });
    await clock.advance(60_000);
    expect((await access.credentials()).tls.ca).to.equal('CA2');
  });

  describe('credential plugins', () => {
    /** A plugin that counts its runs and answers with a token of that number. */
    const plugin = (expiry: string) => `#!/bin/sh
cd "$(dirname "$0")"
echo x >> runs
printf '%s' "$KUBERNETES_EXEC_INFO" > info
echo '{"status": {"token": "t'$(wc -l < runs)'", "expirationTimestamp": "${expiry}"}}'
`;
    const exec = {
      apiVersion: 'client.authentication.k8s.io/v1',
      command: './plugin',
      provideClusterInfo: true,
    };
    const start = async (text: string) => {
      await write({ config: config({ exec }), plugin: text });
      await chmod(join(folder, 'plugin'), 0o755);
      return read();
    };
    const tokenOf = async (access: Awaited<ReturnType<typeof read>>) =>
      (await access.credentials()).headers['authorization'];

    it('are asked once until what they gave expires, and when it was refused', async () => {
      const access = await start(plugin('2026-01-01T01:00:00Z'));
      const both = await Promise.all([tokenOf(access), tokenOf(access)]);
      expect(both).to.deep.equal(['Bearer t1', 'Bearer t1']);
      await clock.advance(3_600_000);
      expect(await tokenOf(access)).to.equal('Bearer t2');
    });

    it('are asked again only when refused where they name no expiry', async () => {
      const access = await start(plugin(''));
      expect(await tokenOf(access)).to.equal('Bearer t1');
      await clock.advance(86_400_000);
      expect(await tokenOf(access)).to.equal('Bearer t1');
      access.refuse();
      expect(await tokenOf(access)).to.equal('Bearer t2');
    });

    it('are told which cluster they are asked for', async () => {
      await tokenOf(await start(plugin('')));
      const info = JSON.parse(await readFile(join(folder, 'info'), 'utf8'));
      expect(info).to.deep.include({ apiVersion: exec.apiVersion, kind: 'ExecCredential' });
      expect(info.spec.cluster.server).to.equal('https://api.example:6443');
    });

    const failures = {
      fails: ['#!/bin/sh\necho no login >&2; exit 3\n', /plugin failed: no login$/],
      'says nonsense': ['#!/bin/sh\necho hello\n', /plugin failed: Unexpected token/],
    } as const;
    for (const [title, [text, message]] of Object.entries(failures)) {
      it(`that ${title}: the error says so, and the next request asks again`, async () => {
        const access = await start(text);
        const error = await access.credentials().catch((each: Error) => each);
        expect((error as Error).message).to.match(message);
        await write({ plugin: plugin('') });
        expect(await tokenOf(access)).to.equal('Bearer t1');
      });
    }

    it('that is not there: the error tells the hint of the kubeconfig', async () => {
      const missing = { ...exec, command: 'no-such-plugin', installHint: '(get it from us)' };
      await write({ config: config({ exec: missing }) });
      const error = await (await read()).credentials().catch((each: Error) => each);
      expect((error as Error).message).to.equal(
        'the credential plugin no-such-plugin is not installed (get it from us)',
      );
    });
  });

  describe('is found', () => {
    const env = { KUBERNETES_SERVICE_HOST: 'fd00::1', KUBERNETES_SERVICE_PORT: '443' };

    it('in the files of KUBECONFIG, of which the earlier count', async () => {
      const second = config({ token: 'second' });
      await write({
        one: { users: [{ name: 'u', user: { token: 'first' } }] },
        two: { ...second, 'current-context': 'c' },
      });
      const access = await readAccess({
        env: { KUBECONFIG: `${join(folder, 'one')}:${join(folder, 'two')}` },
      });
      expect((await access.credentials()).headers).to.deep.equal({ authorization: 'Bearer first' });
    });

    it('in the service account of a pod', async () => {
      await write({ token: 't1', 'ca.crt': 'CA', namespace: 'operators' });
      const access = await readAccess({ env, clock, serviceAccountFolder: folder });
      expect([access.server.href, access.namespace]).to.deep.equal([
        'https://[fd00::1]/',
        'operators',
      ]);
      expect(await access.credentials()).to.deep.equal({
        headers: { authorization: 'Bearer t1' },
        tls: { ca: 'CA' },
      });
    });

    it('in the home folder', async () => {
      await mkdir(join(folder, '.kube'));
      await write({ '.kube/config': config() });
      const access = await readAccess({ env: { HOME: folder }, serviceAccountFolder: folder });
      expect(access.server.host).to.equal('api.example:6443');
    });
  });

  describe('says what is wrong:', () => {
    const cases = {
      'no mapping': ['[]', {}, 'kubeconfig DIR/config: it is no mapping'],
      'no current context': [
        { ...config(), 'current-context': '' },
        {},
        'kubeconfig DIR/config has no current-context (name one with --context)',
      ],
      'an unknown context': [
        config(),
        { context: 'cc' },
        'kubeconfig DIR/config has no context "cc" (did you mean c?)',
      ],
      'an unknown user': [{ ...config(), users: [] }, {}, 'kubeconfig DIR/config has no user "u"'],
      'a server that is no URL': [
        config({}, { server: 'api:6443' }),
        {},
        'kubeconfig DIR/config: the server "api:6443" of cluster "k" is no URL (write it as https://host:port)',
      ],
      'an entry without a name': [
        { ...config(), clusters: [{}] },
        {},
        'kubeconfig DIR/config: clusters[0].name is missing',
      ],
      'an old way to authenticate': [
        config({ 'auth-provider': { name: 'gcp' } }),
        {},
        'kubeconfig DIR/config: user "u" has the auth-provider "gcp", which Kubernetes no longer has (use the exec plugin of your provider)',
      ],
    } as const;
    for (const [title, [text, options, message]] of Object.entries(cases)) {
      it(title, async () => {
        await write({ config: text });
        expect(await errorOf(options)).to.equal(message);
      });
    }

    it('a file that is not there', async () => {
      expect(await errorOf()).to.match(/^kubeconfig DIR\/config cannot be read: ENOENT/);
    });

    it('nothing at all', async () => {
      const error = await readAccess({ env: { HOME: folder }, serviceAccountFolder: folder }).catch(
        ({ message }) => message,
      );
      expect(error).to.equal(
        'no cluster is configured: there is neither a kubeconfig nor a service account of a pod (name one with --kubeconfig or KUBECONFIG)',
      );
    });
  });
});
