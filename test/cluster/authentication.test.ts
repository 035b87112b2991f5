import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import type { ScaledObject } from '../../src/scaler/resources/scaled-object.ts';
import { ControlPlane } from '../support/cluster/control-plane.ts';
import {
  account,
  byAccount,
  CASES,
  type Case,
  clientCredentials,
  data,
  FAILING,
  HOME,
  MISSING,
  needsVault,
  secret,
  tokenOf,
  variableFrom,
  vault,
} from '../support/cluster/credential-cases.ts';
import { GuardedNumber, serveEcho } from '../support/cluster/credential-servers.ts';
import { fillVault } from '../support/cluster/credential-vault.ts';
import { workload } from '../support/cluster/manifests.ts';
import { Operator } from '../support/cluster/operator.ts';
import { needControlPlane } from '../support/cluster/requirements.ts';
import { scaledJob, untilJobs } from '../support/cluster/scaled-jobs.ts';
import {
  eventsOf,
  read,
  replicasOf,
  scaledObject,
  untilCondition,
  untilNotReady,
  untilReplicas,
} from '../support/cluster/scaler-objects.ts';
import { isReplayed } from '../support/recording.ts';
import { mustRun } from '../support/run-command.ts';
import type { WebServer } from '../support/scaler/web-server.ts';
import { type OauthServer, startOauth } from '../support/sources/oauth.ts';
import { startVault, type VaultServer } from '../support/sources/vault.ts';
import { until } from '../support/until.ts';

const API = 'scaler.tsprov.dev/v1alpha1';
const hasVault = !isReplayed;
const inReach = (each: Pick<Case, 'spec'>) => hasVault || !needsVault(each);
/** Those whose tokens the operator may have, were they there. */
const ACCOUNTS = ['reader', 'vault-reader', 'default', 'gone'].map((name) => ({
  namespace: 'default',
  name,
}));
/** A trigger that never worked has no metric; one that has worked keeps it. */
const EVENTS = { ScaledObjectCheckFailed: 'ScaledObjectCheckFailed', TriggerError: 'ScalerFailed' };
/** As it begins, whatever follows. */
const base64 = (text: string) => Buffer.from(text).toString('base64').replace(/.?=+$/, '');

describe('The credentials of a trigger on a real control plane', () => {
  let plane: ControlPlane;
  let operator: Operator;
  let files: string;
  let vaultServer: VaultServer | undefined;
  let tokenServer: OauthServer;
  let echoServer: WebServer;
  const source = new GuardedNumber();
  const users = new Map<string, Promise<string | undefined>>();

  before(async function () {
    await needControlPlane(this);
    plane = await ControlPlane.start();
    await source.start(5);
    if (hasVault) {
      vaultServer = await startVault();
      await fillVault(vaultServer, plane);
    }
    tokenServer = await startOauth('metrics-api');
    echoServer = await serveEcho();
    files = await mkdtemp(join(tmpdir(), 'credentials-'));
    await mkdir(join(files, 'team'));
    await writeFile(join(files, 'team/file.json'), JSON.stringify({ token: tokenOf('file') }));
    operator = await Operator.start(plane, {
      args: ['--filepath-auth-root-path', files],
      rights: { scaler_token_service_accounts: ACCOUNTS },
    });
  });

  after(async () => {
    await operator?.stop();
    await Promise.all([source.stop(), vaultServer?.stop(), tokenServer?.stop()]);
    await echoServer?.close();
    await plane?.stop();
    if (files !== undefined) await rm(files, { recursive: true });
  });

  /** Whose a token is; the API server knows, and is asked once. */
  const userOf = (token: string) => {
    const known = users.get(token);
    if (known !== undefined) return known;
    const user = plane
      .create<{ status: { user?: { username?: string } } }>({
        apiVersion: 'authentication.k8s.io/v1',
        kind: 'TokenReview',
        spec: { token },
      })
      .then(({ status }) => status.user?.username);
    users.set(token, user);
    return user;
  };

  const make = (each: Omit<Case, 'title'>) => {
    const { name, spec, isCluster = false, objects = [], container = {}, authMode } = each;
    const kind = isCluster ? 'ClusterTriggerAuthentication' : 'TriggerAuthentication';
    const metadata = { name, ...(!isCluster && { namespace: 'default' }) };
    const urls = { vault: vaultServer?.url ?? '', tokens: tokenServer.url, echo: echoServer.url };
    const trigger = { ...source.trigger(name, authMode), authenticationRef: { name, kind } };
    return plane.apply(
      ...objects,
      withContainer(name, container),
      { apiVersion: API, kind, metadata, spec: spec(urls) },
      scaledObject(name, { triggers: [trigger] }),
    );
  };

  /** One that logs in at Vault with a token in a file of its name. */
  const makeWithFile = async (name: string, token: string) => {
    const serviceAccount = join(files, name);
    await writeFile(serviceAccount, token);
    await make({ name, spec: vault('kv/file', {}, byAccount({ serviceAccount })) });
  };

  /** A condition, the status of the trigger and an event tell it. */
  const untilTold = async (name: string, told: string, wanted: keyof typeof EVENTS) => {
    await untilNotReady(plane, name, wanted, told);
    const found = await read<ScaledObject>(plane, 'scaledobject', name);
    expect(found?.status?.triggers?.[0]?.error).to.include(told);
    const isTold = async () =>
      (await eventsOf(plane, 'ScaledObject', name)).some(
        ({ reason, note }) => reason === EVENTS[wanted] && note.includes(told),
      );
    await until(isTold, () => `no event tells: ${told}`);
  };

  describe('come out of', () => {
    for (const each of CASES.filter(inReach)) {
      it(each.title, async () => {
        source.gates.set(each.name, (token) => token === tokenOf(each.name));
        await make(each);
        await untilReplicas(plane, each.name, 1);
      });
    }

    it('OAuth 2, as a client', async () => {
      const name = 'oauth';
      source.gates.set(name, async (token) => (await tokenServer.introspect(token)).active);
      await make({
        name,
        spec: ({ tokens }) => clientCredentials('client_secret_basic', tokens, name),
        objects: [data('Secret', name, { token: tokenServer.secret })],
        authMode: 'oauth',
      });
      await untilReplicas(plane, name, 1);
    });

    it('a service account whose token is asked for', async () => {
      const name = 'account';
      source.gates.set(name, async (token) => {
        return (await userOf(token)) === 'system:serviceaccount:default:reader';
      });
      await make({
        name,
        spec: () => ({
          boundServiceAccountToken: [{ parameter: 'token', serviceAccountName: 'reader' }],
        }),
        objects: [account('reader')],
      });
      await untilReplicas(plane, name, 1);
    });

    it('the environment of its target, where the metadata names a variable', async () => {
      const name = 'metadata';
      source.gates.set(name, (token) => token === tokenOf(name));
      await plane.apply(
        secret(name),
        withContainer(name, variableFrom('secretKeyRef', name)),
        scaledObject(name, { triggers: [source.variableTrigger(name, 'TOKEN')] }),
      );
      await untilReplicas(plane, name, 1);
    });

    it('the environment of its Jobs', async () => {
      const name = 'job';
      source.gates.set(name, (token) => token === tokenOf(name));
      const container = { name: 'main', image: 'example.invalid/none' };
      const containers = [{ ...container, ...variableFrom('secretKeyRef', name) }];
      await plane.apply(
        secret(name),
        scaledJob(name, {
          jobTargetRef: { template: { spec: { containers } } },
          triggers: [source.variableTrigger(name, 'TOKEN')],
        }),
      );
      await untilJobs(plane, name, 1);
    });
  });

  describe('that are not there', () => {
    for (const { told, ...each } of MISSING.filter(inReach)) {
      it(`are named: ${told}`, async () => {
        await make(each);
        await untilTold(each.name, told, 'ScaledObjectCheckFailed');
        expect(source.shown.get(each.name), 'nothing is asked without them').to.equal(undefined);
      });
    }

    it('are named where there is no TriggerAuthentication', async () => {
      const name = 'no-authentication';
      const trigger = { ...source.trigger(name), authenticationRef: { name } };
      await plane.apply(withContainer(name), scaledObject(name, { triggers: [trigger] }));
      await untilTold(
        name,
        'TriggerAuthentication default/no-authentication does not exist',
        'ScaledObjectCheckFailed',
      );
    });

    it('are used as soon as somebody makes them', async () => {
      source.gates.set('no-secret', (token) => token === tokenOf('gone'));
      await plane.apply(secret('gone'));
      await untilReplicas(plane, 'no-secret', 1);
      await untilCondition(plane, 'no-secret', 'Ready', 'True ScaledObjectReady');
    });
  });

  describe('that change', () => {
    it('are used at the next poll, without a failure', async () => {
      source.gates.set('secret', (token) =>
        [tokenOf('secret'), tokenOf('rotated')].includes(token),
      );
      await plane.apply(data('Secret', 'secret', { token: tokenOf('rotated') }));
      await until(
        () => source.shown.get('secret')?.at(-1) === tokenOf('rotated'),
        () => 'the old token is used',
      );
      const events = await eventsOf(plane, 'ScaledObject', 'secret');
      expect(events.map(({ reason }) => reason)).not.to.include('ScalerFailed');
    });

    it('are missed once they are gone, and what runs goes on', async () => {
      await plane.kubectl('delete', 'secret', 'oauth');
      await untilTold('oauth', 'Secret default/oauth does not exist', 'TriggerError');
      expect(await replicasOf(plane, 'deployment', 'oauth')).to.equal(1);
    });
  });

  const describeVault = (server: () => VaultServer) => {
    it('are issued by its engine pki', async () => {
      const name = 'vault-pki';
      source.gates.set(name, async (serial) => (await server().list('pki/certs')).includes(serial));
      const issue = {
        key: 'serial_number',
        type: 'pki',
        pkiData: { commonName: 'scaler.example.com' },
      };
      await make({ name, spec: vault('pki/issue/scaler', issue) });
      await untilReplicas(plane, name, 1);
    });

    it('are given after a login with a token in a file', async () => {
      const name = 'vault-file';
      source.gates.set(name, (token) => token === tokenOf(name));
      await plane.apply(account('vault-reader'));
      const token = (await plane.kubectl('create', 'token', 'vault-reader')).trim();
      await makeWithFile(name, token);
      await untilReplicas(plane, name, 1);
    });

    it('are refused where the API server does not know the signature of a token', async () => {
      const name = 'vault-forged';
      const token = (await plane.kubectl('create', 'token', 'vault-reader')).trim();
      await makeWithFile(name, token.replace(/[^.]+$/, 'A'.repeat(342)));
      await untilTold(
        name,
        `auth/kubernetes/login at ${server().url} answered with status 403: permission denied`,
        'ScaledObjectCheckFailed',
      );
    });

    it('are read anew, though the login was revoked', async () => {
      const name = 'vault-login';
      source.gates.set(name, (token) => token === tokenOf('rotated'));
      await server().write('secret/data/login', { data: { token: tokenOf('rotated') } });
      await server().write('sys/leases/revoke-prefix/auth/kubernetes/login', {});
      await plane.kubectl(...['annotate', 'triggerauthentication', name, 'read=anew']);
      await until(
        () => source.shown.get(name)?.at(-1) === tokenOf('rotated'),
        () => 'the old token is used',
      );
      await untilCondition(plane, name, 'Ready', 'True ScaledObjectReady');
    });
  };
  // What it answers to logins of this very control plane cannot be replayed.
  if (hasVault) describe('out of Vault', () => describeVault(() => vaultServer as VaultServer));

  describe('are told to nobody', () => {
    for (const { told, ...each } of FAILING) {
      it(`where they fail: ${told}`, async () => {
        await make(each);
        await untilTold(each.name, told, 'TriggerError');
      });
    }

    it('by the log, events, states, metrics and explanations', () =>
      expectSecrecy('HTTP status 401'));
  });

  /** Everything that the operator has emitted, by where it stands. */
  const emitted = async (): Promise<Readonly<Record<string, string>>> => {
    const kinds = 'scaledobjects,scaledjobs,triggerauthentications,clustertriggerauthentications';
    const all = `${kinds},horizontalpodautoscalers,deployments,jobs`;
    const objects = JSON.parse(await plane.kubectl('get', all, '-A', '-o', 'json'));
    const states = (objects.items as { status?: object }[]).map(({ status }) => status);
    const program = ['bin/tsprov-scaler.js', 'explain', '--kubeconfig', plane.kubeconfigPath];
    return {
      log: await operator.log(),
      events: await plane.kubectl('get', 'events.events.k8s.io', '-A', '-o', 'json'),
      states: JSON.stringify(states),
      metrics: await operator.metrics(),
      explanation: await mustRun(process.execPath, [...program, 'refused', '-n', 'default']),
    };
  };

  /** @param told What is among it. */
  const expectSecrecy = async (told: string) => {
    const texts = await emitted();
    const plain = [...users.keys(), ...[...source.shown.values()].flat(), 'secret-of-'];
    const secrets = [...new Set(plain)].filter((text) => text !== '');
    const hidden = [...secrets, ...secrets.map(base64), base64('stranger:secret-of')];
    expect(texts['states']).to.include(told);
    for (const [place, text] of Object.entries(texts)) {
      expect(text, place).to.have.length.above(0);
      for (const each of hidden) expect(text.includes(each), `${place}: ${each}`).to.equal(false);
    }
  };

  describe('with --restrict-secret-access', () => {
    before(async () => {
      await operator.stop();
      await plane.kubectl('delete', 'clusterrolebinding', 'scaler-operator-secrets');
      operator = await Operator.start(plane, {
        args: ['--restrict-secret-access'],
        rights: { scaler_secret_access: 'own', scaler_token_service_accounts: ACCOUNTS },
      });
    });

    for (const name of ['secret', 'env-secret', 'env-prefix', 'metadata']) {
      it(`stay unread in other namespaces: ${name}`, async () => {
        await untilTold(
          name,
          `Secret default/${name} must not be read: the operator reads Secrets of ${HOME} only`,
          'ScaledObjectCheckFailed',
        );
      });
    }

    it('come out of the namespace of the operator, and out of ConfigMaps', async () => {
      for (const name of ['cluster', 'env-config']) {
        const before = source.shown.get(name)?.length ?? 0;
        await until(
          () => (source.shown.get(name)?.length ?? 0) > before,
          () => `${name} is not read`,
        );
        await untilCondition(plane, name, 'Ready', 'True ScaledObjectReady');
      }
      await expectSecrecy('must not be read');
    });
  });
});

/** A Deployment that sleeps, with more in its container. */
function withContainer(name: string, container: object = {}): object {
  const { spec, ...rest } = workload('Deployment', name, 0);
  const containers = spec.template.spec.containers.map((each) => ({ ...each, ...container }));
  return { ...rest, spec: { ...spec, template: { ...spec.template, spec: { containers } } } };
}
