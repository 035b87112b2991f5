import { mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { parse } from 'yaml';
import { keepKubeconfig, lookAtKubeconfig } from '../../../src/scaler/account/keep-kubeconfig.ts';
import { renderKubeconfig } from '../../../src/scaler/account/kept-kubeconfig.ts';
import { type Answer, FakeApiServer, json, status } from '../../support/scaler/fake-api-server.ts';
import { runScaler } from '../../support/scaler/scaler-program.ts';

const DAY_MS = 86_400_000;
const NOW_MS = Date.parse('2026-06-10T00:00:00Z');
const ACCOUNT = { namespace: 'ns', name: 'operator' };

/** A token of 30 days that was given out so many days ago. */
function token(ageDays: number, { name = 'operator', mark = '' } = {}): string {
  const iat = (NOW_MS - ageDays * DAY_MS) / 1000;
  const claims = { sub: `system:serviceaccount:ns:${name}`, iat, exp: iat + 30 * 86_400, mark };
  return `e30.${Buffer.from(JSON.stringify(claims)).toString('base64url')}.sig`;
}

const KNOWN = json({ gitVersion: 'v1.34.4' });
const UNKNOWN = status(401, 'Unauthorized', 'Unauthorized');
const FRESH = token(0, { mark: 'fresh' });
const ANSWERED = json({ status: { token: FRESH } }, 201);

describe('the kubeconfig of a service account', () => {
  let folder = '';
  let file = '';
  let api: FakeApiServer;

  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'kept-kubeconfig-'));
    file = join(folder, 'kubeconfig');
    api = await FakeApiServer.start();
    await writeFile(join(folder, 'admin.conf'), kubeconfig('admin-token'));
  });
  afterEach(async () => {
    await api.close();
    await rm(folder, { recursive: true, force: true });
  });

  function kubeconfig(ofToken: string, server = api.url.href.slice(0, -1)): string {
    const endpoint = { server, ca: undefined, serverName: undefined, proxy: undefined };
    return renderKubeconfig({ endpoint, token: ofToken }, ACCOUNT);
  }

  function keeping(administrator = 'admin.conf') {
    return {
      file,
      account: ACCOUNT,
      lifetimeMs: 30 * DAY_MS,
      administrator: { kubeconfig: join(folder, administrator) },
      userAgent: 'test',
      nowMs: () => NOW_MS,
    };
  }

  const bearers = () =>
    api.requests.map(({ method, headers }) => `${method} ${headers.authorization}`);
  const stored = async () => parse(await readFile(file, 'utf8')).users[0].user.token;

  it('is made by the administrator, for its owner alone', async () => {
    api.answer(ANSWERED);
    const verdict = await keepKubeconfig(keeping());
    expect(verdict).to.deep.equal({ action: 'make', reason: 'there is none yet' });
    expect(api.requests[0]).to.deep.include({
      path: '/api/v1/namespaces/ns/serviceaccounts/operator/token',
      body: {
        apiVersion: 'authentication.k8s.io/v1',
        kind: 'TokenRequest',
        spec: { expirationSeconds: 2_592_000 },
      },
    });
    expect(bearers()).to.deep.equal(['POST Bearer admin-token']);
    expect(await stored()).to.equal(FRESH);
    expect((await stat(file)).mode & 0o777).to.equal(0o600);
    expect((await readdir(folder)).sort()).to.deep.equal(['admin.conf', 'kubeconfig']);
  });

  it('stays as it is in the first third of its life', async () => {
    await writeFile(file, kubeconfig(token(9)));
    api.answer(KNOWN);
    expect(await keepKubeconfig(keeping())).to.deep.equal({
      action: 'keep',
      until: new Date(NOW_MS + DAY_MS),
    });
    expect(await stored()).to.equal(token(9));
  });

  it('is renewed by itself after that, without an administrator', async () => {
    await writeFile(file, kubeconfig(token(11)));
    api.answer(KNOWN, ANSWERED);
    const verdict = await keepKubeconfig(keeping('none.conf'));
    expect(verdict).to.deep.include({ action: 'renew' });
    expect(bearers()[1]).to.equal(`POST Bearer ${token(11)}`);
    expect(await stored()).to.equal(FRESH);
  });

  it('is made anew by the administrator where the account has lost that right', async () => {
    await writeFile(file, kubeconfig(token(11)));
    api.answer(KNOWN, status(403, 'Forbidden', 'no'), ANSWERED);
    await keepKubeconfig(keeping());
    expect(bearers()[2]).to.equal('POST Bearer admin-token');
    expect(await stored()).to.equal(FRESH);
  });

  const OF_NO_USE: Readonly<
    Record<string, { text: () => string; answers?: readonly Answer[]; reason: RegExp }>
  > = {
    'its token has ended': {
      text: () => kubeconfig(token(31)),
      reason: /its token ended 2026-06-09/,
    },
    'the API server refuses its token': {
      text: () => kubeconfig(token(1)),
      answers: [UNKNOWN, UNKNOWN],
      reason: /the API server refuses its token/,
    },
    'it is for another account': {
      text: () => kubeconfig(token(1, { name: 'other' })),
      reason: /it is for system:serviceaccount:ns:other/,
    },
    'the cluster has moved': {
      text: () => kubeconfig(token(1), 'http://127.0.0.1:1'),
      reason: /it leads to http:\/\/127\.0\.0\.1:1 /,
    },
    'somebody has written something else': {
      text: () => 'apiVersion: [',
      reason: /it is none of this program/,
    },
    'its token never ends': {
      text: () => kubeconfig('opaque'),
      reason: /it is none of this program/,
    },
  };
  for (const [title, { text, answers = [], reason }] of Object.entries(OF_NO_USE)) {
    it(`is made anew where ${title}`, async () => {
      await writeFile(file, text());
      api.answer(...answers, ANSWERED);
      const verdict = await keepKubeconfig(keeping());
      expect(verdict.action).to.equal('make');
      expect('reason' in verdict && verdict.reason).to.match(reason);
      expect(await stored()).to.equal(FRESH);
    });
  }

  it('is only looked at where that is asked for', async () => {
    const verdict = await lookAtKubeconfig(keeping());
    expect(verdict.action).to.equal('make');
    expect(api.requests).to.deep.equal([]);
    expect(await readdir(folder)).to.deep.equal(['admin.conf']);
  });

  it('is kept by a program that waits for its answers', async () => {
    const old = { mark: 'refused', ageDays: (Date.now() - NOW_MS) / -DAY_MS };
    await writeFile(file, kubeconfig(token(old.ageDays, old)));
    api.answer(UNKNOWN, UNKNOWN, ANSWERED);
    const words = ['--kubeconfig', join(folder, 'admin.conf'), '--namespace', 'ns'];
    const { code, stdout, stderr } = await runScaler([
      ...['kubeconfig', file, ...words, '--service-account', 'operator'],
    ]);
    expect(code, stderr).to.equal(0);
    expect(stdout).to.equal('made: the API server refuses its token\n');
  });

  it('keeps what it was when no new token can be had', async () => {
    await writeFile(file, kubeconfig(token(31)));
    api.answer(status(404, 'NotFound', 'serviceaccounts "operator" not found'));
    const error = await keepKubeconfig(keeping()).catch((thrown: Error) => thrown);
    expect(String(error)).to.include('serviceaccounts "operator" not found');
    expect(await stored()).to.equal(token(31));
    expect((await readdir(folder)).sort()).to.deep.equal(['admin.conf', 'kubeconfig']);
  });
});
