import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { rootCertificates } from 'node:tls';
import { expect } from 'chai';
import { parseTlsVersion, readAuthorities, tlsOptions } from '../../src/scaler/tls.ts';
import type { TlsMaterial } from '../../src/scaler/trigger.ts';
import { makeTestAuthority, type TestAuthority } from '../support/scaler/certificates.ts';

const policy = { authorities: [], leastVersion: 'TLSv1.2' } as const;

describe('tls of triggers', () => {
  let authority: TestAuthority;
  let directory: string;
  before(async () => {
    authority = await makeTestAuthority();
    directory = mkdtempSync(join(tmpdir(), 'tls-'));
  });
  after(() => rmSync(directory, { recursive: true }));

  it('leaves the usual authorities alone where no other is given', () => {
    expect(tlsOptions(policy)).to.deep.equal({ minVersion: 'TLSv1.2', rejectUnauthorized: true });
  });

  it('trusts others beside the usual ones', () => {
    const { ca } = tlsOptions({ ...policy, authorities: ['A'] }, { ca: authority.ca });
    expect(ca).to.deep.equal([...rootCertificates, 'A', authority.ca]);
  });

  it('reads authorities from directories, those that are missing too', () => {
    writeFileSync(join(directory, 'ca.crt'), authority.ca);
    mkdirSync(join(directory, '..data'));
    const found = readAuthorities([join(directory, 'none'), directory]);
    expect(found).to.deep.equal([authority.ca]);
    writeFileSync(join(directory, 'wrong.crt'), 'wrong');
    expect(() => readAuthorities([directory])).to.throw(
      `the authority in ${join(directory, 'wrong.crt')} is no certificate: give its PEM text`,
    );
  });

  const refusals: readonly (readonly [string, () => TlsMaterial, string])[] = [
    [
      'an authority that is none',
      () => ({ ca: 'x' }),
      'the certificate of the authority (ca) is no',
    ],
    [
      'a certificate without a key',
      () => ({ cert: authority.client.cert }),
      'cert is given without key: a client certificate needs both',
    ],
    [
      'a key without a certificate',
      () => ({ key: authority.client.key }),
      'key is given without cert: a client certificate needs both',
    ],
    [
      'a key of another certificate',
      () => ({ cert: authority.client.cert, key: authority.server.key }),
      'cert and key cannot be used together',
    ],
    ['nonsense', () => ({ cert: 'x', key: 'y' }), 'cert and key cannot be used together'],
  ];
  for (const [title, material, message] of refusals) {
    it(`refuses ${title}`, () => {
      expect(() => tlsOptions(policy, material())).to.throw(message);
    });
  }

  it('knows versions by the names of the environment', () => {
    expect(parseTlsVersion('TLS13')).to.equal('TLSv1.3');
  });
});
