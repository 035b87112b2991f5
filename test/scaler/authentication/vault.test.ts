import { expect } from 'chai';
import type { CredentialReader } from '../../../src/scaler/authentication/credential-reader.ts';
import { VaultClient } from '../../../src/scaler/authentication/vault.ts';
import type { VaultSpec } from '../../../src/scaler/resources/trigger-authentication.ts';
import { NO_CREDENTIALS, PLAIN_SETTINGS } from '../../support/scaler/no-credentials.ts';
import { vaultData, vaultLogin, vaultVersion } from '../../support/scaler/vault-answers.ts';

const ADDRESS = 'https://vault.example:8200';
const JWT = 'eyJhbGciOiJSUzI1NiJ9.eyJzdWIiOiJhIn0.c2ln';
const HOUR_MS = 3_600_000;
const RENEWAL = 'POST auth/token/renew-self';

/** Vault in memory; its answers are those that its documentation shows. */
class Vault {
  readonly answers: Record<string, object> = {
    'GET kv/db': vaultData({ password: 'first', port: 5432 }),
    'GET secret/data/db': vaultVersion({ password: 'second' }),
    'GET odd/data': vaultData({ data: 'text', password: 'plain' }),
    'GET empty': vaultData({}),
    'POST pki/issue/db': vaultData({ certificate: 'leaf', ca_chain: ['one', 'two'] }, 600),
  };
  readonly requests: { readonly line: string; readonly headers: object; readonly body: unknown }[] =
    [];
  /** Tokens that are good. */
  readonly tokens = new Set(['static']);
  logins = 0;
  renewals = 0;
  /** Seconds for which a renewal is good; without, tokens that are given are not renewable. */
  renewal: number | undefined;
  /** The status of answers to renewals while Vault cannot do its work. */
  outage: number | undefined;
  /** What the next answers are, whatever is asked for. */
  always: { readonly status: number; readonly text: string } | undefined;

  readonly request: CredentialReader['http']['request'] = async (url, request) => {
    const { method = 'GET', headers = {}, body } = request;
    const line = `${method} ${url.href.replace(`${ADDRESS}/v1/`, '')}`;
    if (line === RENEWAL) this.renewals += 1;
    else this.requests.push({ line, headers, body: body && JSON.parse(body) });
    const { status, text } = this.always ?? this.#answer(line, headers, body);
    return { status, headers: {}, text };
  };

  #answer(line: string, headers: Readonly<Record<string, string>>, body = '{}') {
    const reply = (status: number, answer: object) => ({ status, text: JSON.stringify(answer) });
    const refused = reply(403, { errors: ['permission denied'] });
    if (line === 'POST auth/k8s/login') {
      const { jwt, role } = JSON.parse(body) as { jwt: string; role: string };
      if (jwt !== JWT || role !== 'scaler') return refused;
      const token = `login-${++this.logins}`;
      this.tokens.add(token);
      return reply(200, vaultLogin(token, 3600));
    }
    if (!this.tokens.has(headers['x-vault-token'] ?? '')) return refused;
    if (line === RENEWAL) {
      if (this.outage !== undefined) return reply(this.outage, { errors: ['Vault is sealed'] });
      if (this.renewal === undefined) return reply(400, { errors: ['lease is not renewable'] });
      return reply(200, vaultLogin('static', this.renewal));
    }
    const found = this.answers[line];
    return found === undefined ? reply(404, { errors: [] }) : reply(200, found);
  }
}

const password = { parameter: 'password', path: 'kv/db', key: 'password' };
const byToken: VaultSpec = {
  address: ADDRESS,
  authentication: 'token',
  credential: { token: 'static' },
  secrets: [password],
};
const byAccount: VaultSpec = {
  ...byToken,
  authentication: 'kubernetes',
  mount: 'k8s',
  role: 'scaler',
  credential: { serviceAccountName: 'reader' },
};
const of = (...secrets: VaultSpec['secrets'][number][]): VaultSpec => ({ ...byToken, secrets });

describe('VaultClient', () => {
  let vault: Vault;
  let nowMs: number;
  let files: Record<string, string>;
  let accounts: string[];
  let client: VaultClient;

  beforeEach(() => {
    vault = new Vault();
    nowMs = 0;
    files = {};
    accounts = [];
    client = make(undefined);
  });

  const make = (vaultToken: string | undefined) => {
    const reader: CredentialReader = {
      ...NO_CREDENTIALS,
      serviceAccountToken: async (namespace, name) => {
        accounts.push(`${namespace}/${name}`);
        return { token: JWT, expiresMs: nowMs + HOUR_MS };
      },
      file: async (path) => files[path] ?? Promise.reject(new Error('there is none')),
      http: { ...NO_CREDENTIALS.http, request: vault.request },
      now: () => nowMs,
    };
    return new VaultClient(reader, { ...PLAIN_SETTINGS, vaultToken });
  };
  const read = async (spec: VaultSpec) => (await client.read(spec, 'shop')).values;
  const failure = (spec: VaultSpec) =>
    client.read(spec, 'shop').then(
      () => 'nothing failed',
      (error: Error) => error.message,
    );
  const lines = () => vault.requests.map(({ line }) => line);

  describe('with a token', () => {
    it('reads the first key-value engine', async () => {
      expect(await read(byToken)).to.deep.equal({ password: 'first' });
      expect(vault.requests).to.deep.equal([
        {
          line: 'GET kv/db',
          headers: { 'x-vault-request': 'true', 'x-vault-token': 'static' },
          body: undefined,
        },
      ]);
    });

    for (const type of ['secretV2', 'secret', '', undefined] as const) {
      it(`reads the second key-value engine, called ${JSON.stringify(type)}`, async () => {
        const secret = { ...password, path: 'secret/data/db', ...(type !== undefined && { type }) };
        expect(await read(of(secret))).to.deep.equal({ password: 'second' });
      });
    }

    it('takes a key that is called data for what it is', async () => {
      const at = { path: 'odd/data' };
      const values = await read(of({ ...password, ...at }, { ...at, parameter: 'd', key: 'data' }));
      expect(values).to.deep.equal({ password: 'plain', d: 'text' });
    });

    it('has pki issue a certificate, once for all its parts', async () => {
      const pkiData = { commonName: 'db.example', altNames: 'a.example', ttl: '10m' };
      const issue = { path: 'pki/issue/db', type: 'pki' as const, pkiData };
      const values = await read(
        of(
          { ...issue, parameter: 'cert', key: 'certificate' },
          { ...issue, parameter: 'ca', key: 'ca_chain' },
        ),
      );
      expect(values).to.deep.equal({ cert: 'leaf', ca: 'one\ntwo' });
      expect(vault.requests.map(({ line, body }) => ({ line, body }))).to.deep.equal([
        {
          line: 'POST pki/issue/db',
          body: { common_name: 'db.example', alt_names: 'a.example', ttl: '10m' },
        },
      ]);
    });

    it('asks each path once, in the namespace that is named', async () => {
      const spec = { ...of(password, { ...password, parameter: 'again' }), namespace: 'team' };
      expect(await read(spec)).to.deep.equal({ password: 'first', again: 'first' });
      expect(vault.requests).to.have.lengthOf(1);
      expect(vault.requests[0]?.headers).to.include({ 'x-vault-namespace': 'team' });
    });

    it('takes that of the operator where there is no other', async () => {
      const { credential, ...spec } = byToken;
      expect(await failure(spec)).to.equal(
        'hashiCorpVault: credential.token is missing, and VAULT_TOKEN too',
      );
      client = make('static');
      expect(await read(spec)).to.deep.equal({ password: 'first' });
      expect(credential).to.have.property('token');
    });

    it('renews it before it ends, as long as it is used', async () => {
      vault.renewal = 90;
      expect(await client.read(byToken, 'shop')).to.have.property('expiresMs', 60_000);
      nowMs = 59_999;
      await read(byToken);
      expect(vault.renewals).to.equal(1);
      nowMs = 60_000;
      await read(byToken);
      expect(vault.renewals).to.equal(2);
    });

    for (const [what, seconds] of [
      ['cannot be renewed', undefined],
      ['never ends', 0],
    ] as const) {
      it(`asks once about one that ${what}`, async () => {
        vault.renewal = seconds;
        await read(byToken);
        nowMs = HOUR_MS;
        expect(await read(byToken)).to.deep.equal({ password: 'first' });
        expect(vault.renewals).to.equal(1);
      });
    }

    for (const status of [429, 500, 503]) {
      it(`asks again about one where Vault answers with status ${status}`, async () => {
        vault.outage = status;
        await read(byToken);
        vault.outage = undefined;
        vault.renewal = 90;
        nowMs = 300_000;
        expect(await client.read(byToken, 'shop')).to.have.property('expiresMs', 360_000);
        expect(vault.renewals).to.equal(2);
      });
    }

    it('has a lease run out before it ends', async () => {
      const { expiresMs } = await client.read(byToken, 'shop');
      expect(expiresMs, 'a secret without an end of its own').to.equal(300_000);
      vault.answers['GET kv/db'] = vaultData({ password: 'short' }, 60);
      expect(await client.read(byToken, 'shop')).to.have.property('expiresMs', 40_000);
    });
  });

  describe('with a service account', () => {
    it('logs in, and reads with the token of the login', async () => {
      expect(await read(byAccount)).to.deep.equal({ password: 'first' });
      expect(lines()).to.deep.equal(['POST auth/k8s/login', 'GET kv/db']);
      expect(vault.requests[0]).to.deep.include({ body: { role: 'scaler', jwt: JWT } });
      expect(vault.requests[0]?.headers).not.to.have.property('x-vault-token');
      expect(vault.requests[1]?.headers).to.include({ 'x-vault-token': 'login-1' });
      expect(accounts).to.deep.equal(['shop/reader']);
    });

    it('keeps the login for two thirds of its lease', async () => {
      await read(byAccount);
      nowMs = HOUR_MS * (2 / 3) - 1;
      await read(byAccount);
      expect(vault.logins).to.equal(1);
      nowMs += 1;
      await read(byAccount);
      expect(vault.logins).to.equal(2);
    });

    it('shares a login with nobody of another namespace', async () => {
      await read(byAccount);
      await client.read(byAccount, 'office');
      expect(accounts).to.deep.equal(['shop/reader', 'office/reader']);
    });

    it('logs in again where a token was revoked before its time', async () => {
      await read(byAccount);
      vault.tokens.delete('login-1');
      expect(await read(byAccount)).to.deep.equal({ password: 'first' });
      expect(vault.logins).to.equal(2);
    });

    it('logs in once and no more where it may not read', async () => {
      vault.tokens.clear();
      vault.tokens.add = () => vault.tokens;
      expect(await failure(byAccount)).to.equal(
        `hashiCorpVault: kv/db at ${ADDRESS} answered with status 403: permission denied`,
      );
      expect(vault.logins).to.equal(1);
    });

    it('shows the token of its own pod, or one in a file', async () => {
      files['/var/run/secrets/kubernetes.io/serviceaccount/token'] = `${JWT}\n`;
      files['/tokens/other'] = JWT;
      for (const credential of [{}, { serviceAccount: '/tokens/other' }]) {
        expect(await read({ ...byAccount, credential })).to.deep.equal({ password: 'first' });
      }
    });

    it('sends no file away that is no token', async () => {
      files['/etc/shadow'] = 'root:$6$hash:19000:0:99999:7:::';
      const credential = { serviceAccount: '/etc/shadow' };
      expect(await failure({ ...byAccount, credential })).to.equal(
        'hashiCorpVault: /etc/shadow holds no token of a service account',
      );
      expect(vault.requests).to.deep.equal([]);
    });
  });

  const gone = { status: 200, text: JSON.stringify(vaultLogin('x')) };
  const FAILURES: readonly {
    readonly title: string;
    readonly spec: VaultSpec;
    readonly always?: Vault['always'];
    readonly told: string;
  }[] = [
    {
      title: 'a path with nothing',
      spec: of({ ...password, path: 'kv/gone' }),
      told: `kv/gone at ${ADDRESS} answered with status 404: there is nothing at this path`,
    },
    {
      title: 'a key that is not there',
      spec: of({ ...password, path: 'empty' }),
      told: 'empty has no key "password"',
    },
    {
      title: 'a value that is no text',
      spec: of({ ...password, key: 'port' }),
      told: 'kv/db holds no text at "port"',
    },
    {
      title: 'an answer without data',
      spec: byToken,
      always: gone,
      told: 'kv/db has no key "password"',
    },
    {
      title: 'something that is not Vault',
      spec: byToken,
      always: { status: 200, text: '<html>' },
      told: `kv/db at ${ADDRESS} answered with something that is no JSON`,
    },
    {
      title: 'a Vault that is sealed',
      spec: byToken,
      always: { status: 503, text: '{"errors":["Vault is sealed"]}' },
      told: `kv/db at ${ADDRESS} answered with status 503: Vault is sealed`,
    },
    {
      title: 'a list of reasons',
      spec: byToken,
      always: {
        status: 400,
        text: '{"errors":["2 errors occurred:\\n\\t* no path\\n\\t* no policy\\n\\n"]}',
      },
      told: `kv/db at ${ADDRESS} answered with status 400: no path; no policy`,
    },
    {
      title: 'a login without role and mount',
      spec: { ...byToken, authentication: 'kubernetes' },
      told: 'kubernetes authentication needs role and mount',
    },
    {
      title: 'a role that may not log in',
      spec: { ...byAccount, role: 'other' },
      told: `auth/k8s/login at ${ADDRESS} answered with status 403: permission denied`,
    },
    {
      title: 'a token file that is not there',
      spec: { ...byAccount, credential: { serviceAccount: '/gone' } },
      told: 'the token /gone cannot be read: there is none',
    },
    {
      title: 'an address that is none',
      spec: { ...byToken, address: 'vault' },
      told: 'kv/db at vault: the address is no URL',
    },
  ];
  for (const { title, spec, always, told } of FAILURES) {
    it(`names ${title}, and no secret`, async () => {
      vault.always = always;
      const message = await failure(spec);
      expect(message).to.equal(`hashiCorpVault: ${told}`);
      for (const secret of ['static', JWT, 'first']) expect(message).not.to.include(secret);
    });
  }
});
