import { createPrivateKey, X509Certificate } from 'node:crypto';
import { expect } from 'chai';
import { VaultClient } from '../../src/scaler/authentication/vault.ts';
import type { VaultSpec } from '../../src/scaler/resources/trigger-authentication.ts';
import { NO_CREDENTIALS, PLAIN_SETTINGS } from '../support/scaler/no-credentials.ts';
import { realHttp } from '../support/scaler/read-trigger.ts';
import { skipFor } from '../support/skip.ts';
import { startVault, type VaultServer, whyNoVault } from '../support/sources/vault.ts';

const TOKEN = 'token-of-the-test';
const POLICY = `
path "kv/orders" { capabilities = ["read"] }
path "kv/gone" { capabilities = ["read"] }
path "secret/*" { capabilities = ["read"] }
path "pki/issue/scaler" { capabilities = ["update"] }
`;

describe('Vault: a real server', () => {
  let server: VaultServer;
  let client: VaultClient;

  before(async function () {
    skipFor(whyNoVault(), this);
    server = await startVault('vault');
    await server.write('kv/orders', { password: 'first', port: 5432 });
    await server.write('kv/hidden', { password: 'hidden' });
    await server.write('secret/data/orders', { data: { password: 'older' } });
    await server.write('secret/data/orders', { data: { password: 'second' } });
    await server.write('secret/data/deleted', { data: { password: 'deleted' } });
    await server.write('secret/delete/deleted', { versions: [1] });
    await server.write('sys/policies/acl/orders', { policy: POLICY });
    await server.write('auth/token/create', { id: TOKEN, policies: ['orders'], period: '3m' });
  });
  after(() => server?.stop());

  beforeEach(() => {
    const reader = { ...NO_CREDENTIALS, http: realHttp, now: Date.now };
    client = new VaultClient(reader, PLAIN_SETTINGS);
  });

  const of = (secrets: VaultSpec['secrets'], token = TOKEN): VaultSpec => ({
    address: server.url,
    authentication: 'token',
    credential: { token },
    secrets,
  });
  const password = (path: string, key = 'password') => [{ parameter: 'password', path, key }];
  const failure = (spec: VaultSpec) =>
    client.read(spec, 'shop').then(
      () => 'nothing failed',
      (error: Error) => error.message.replace(server.url, 'VAULT'),
    );

  it('gives a value of the first key-value engine', async () => {
    const { values } = await client.read(of(password('kv/orders')), 'shop');
    expect(values).to.deep.equal({ password: 'first' });
  });

  it('gives the newest version of the second key-value engine', async () => {
    const { values } = await client.read(of(password('secret/data/orders')), 'shop');
    expect(values).to.deep.equal({ password: 'second' });
  });

  it('issues a certificate, its key and its chain together', async () => {
    const issue = {
      path: 'pki/issue/scaler',
      type: 'pki' as const,
      pkiData: { commonName: 'orders.example.com', altNames: 'more.example.com', ttl: '1h' },
    };
    const keys = { cert: 'certificate', key: 'private_key', ca: 'ca_chain' };
    const secrets = Object.entries(keys).map(([parameter, key]) => ({ ...issue, parameter, key }));
    const { cert = '', key = '', ca = '' } = (await client.read(of(secrets), 'shop')).values;
    const certificate = new X509Certificate(cert);
    expect(certificate.checkHost('more.example.com')).to.equal('more.example.com');
    expect(certificate.checkPrivateKey(createPrivateKey(key))).to.equal(true);
    expect(certificate.checkIssued(new X509Certificate(ca))).to.equal(true);
  });

  it('renews the token that it is given', async () => {
    const token = 'renewed-token-of-the-test';
    await server.write('auth/token/create', { id: token, policies: ['orders'], period: '3m' });
    const before = Date.now();
    const { expiresMs = 0 } = await client.read(of(password('kv/orders'), token), 'shop');
    // Two thirds of three minutes.
    expect(expiresMs - before).to.be.within(115_000, 120_000 + (Date.now() - before));
    const found = await server.write('auth/token/lookup', { token });
    expect((found as { last_renewal_time?: number }).last_renewal_time).to.be.above(0);
  });

  const FAILURES: readonly (readonly [title: string, path: string, told: string])[] = [
    [
      'nothing',
      'kv/gone',
      'kv/gone at VAULT answered with status 404: there is nothing at this path',
    ],
    [
      'what is not allowed',
      'kv/hidden',
      'kv/hidden at VAULT answered with status 403: permission denied',
    ],
    [
      'a missing part',
      'secret/orders',
      "secret/orders at VAULT answered with status 404: Invalid path for a versioned K/V secrets engine. See the API docs for the appropriate API endpoints to use. If using the Vault CLI, use 'vault kv get' for this operation.",
    ],
    [
      'a version that was deleted',
      'secret/data/deleted',
      'secret/data/deleted at VAULT answered with status 404: there is nothing at this path',
    ],
  ];
  for (const [title, path, told] of FAILURES) {
    it(`tells of a path with ${title}`, async () => {
      expect(await failure(of(password(path)))).to.equal(`hashiCorpVault: ${told}`);
    });
  }

  it('tells of a token that is unknown, and not the token', async () => {
    const message = await failure(of(password('kv/orders'), 'hvs.unknown'));
    expect(message).to.include('status 403').and.include('permission denied');
    expect(message).not.to.include('hvs.unknown');
  });

  it('tells of a value that is no text', async () => {
    expect(await failure(of(password('kv/orders', 'port')))).to.equal(
      'hashiCorpVault: kv/orders holds no text at "port"',
    );
  });

  it('tells that it is sealed', async () => {
    await server.write('sys/seal', {});
    expect(await failure(of(password('kv/orders')))).to.equal(
      'hashiCorpVault: kv/orders at VAULT answered with status 503: Vault is sealed',
    );
  });
});
