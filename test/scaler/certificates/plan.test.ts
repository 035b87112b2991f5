import { X509Certificate } from 'node:crypto';
import { expect } from 'chai';
import {
  DEFAULT_LIFETIMES,
  issueCertificate,
  makeAuthority,
} from '../../../src/scaler/certificates/make.ts';
import {
  type CertificateMaterial,
  parseSecretData,
  renderSecretData,
} from '../../../src/scaler/certificates/material.ts';
import { planCertificates } from '../../../src/scaler/certificates/plan.ts';

const NOW = new Date('2031-05-01T12:00:00Z');
const DAY_MS = 86_400_000;
const NAMES = ['metrics', 'metrics.scaling', 'metrics.scaling.svc', '127.0.0.1'];
const WANTED = { names: NAMES, lifetimes: DEFAULT_LIFETIMES };
const daysLater = (days: number) => new Date(NOW.getTime() + days * DAY_MS);

async function makeMaterial(names: readonly string[] = NAMES): Promise<CertificateMaterial> {
  const authority = await makeAuthority(NOW, DEFAULT_LIFETIMES);
  const leaf = await issueCertificate(authority, names, NOW, DEFAULT_LIFETIMES);
  return { ...leaf, ca: authority.cert, caKey: authority.key };
}

describe('the plan of the certificates', () => {
  let good: CertificateMaterial;
  let other: CertificateMaterial;
  before(async () => {
    [good, other] = await Promise.all([makeMaterial(), makeMaterial()]);
  });

  it('makes an authority where there is nothing', () => {
    expect(planCertificates(undefined, WANTED, NOW)).to.deep.equal({
      action: 'make',
      reason: 'there are no certificates yet',
      trusted: [],
    });
  });

  it('keeps what is good until 90 days before its end', () => {
    const plan = planCertificates(good, WANTED, NOW);
    expect(plan).to.deep.equal({ action: 'keep', until: daysLater(365 - 90) });
  });

  const changed: readonly [string, () => CertificateMaterial, string][] = [
    ['whose key is another one', () => ({ ...good, key: other.key }), 'tls.key is not the key'],
    ['whose key is garbage', () => ({ ...good, key: 'garbage' }), 'tls.key is not the key'],
    ['that is garbage', () => ({ ...good, cert: 'garbage' }), 'tls.crt holds no certificate'],
    [
      'that another authority signed',
      () => ({ ...good, cert: other.cert, key: other.key }),
      'no authority in ca.crt signed the certificate',
    ],
  ];
  for (const [title, material, reason] of changed) {
    it(`issues a certificate again ${title}`, () => {
      const plan = planCertificates(material(), WANTED, NOW);
      expect(plan.action).to.equal('issue');
      expect(plan).to.have.property('reason').that.includes(reason);
    });
  }

  it('issues a certificate that is for every name', () => {
    const wanted = { ...WANTED, names: [...NAMES, 'metrics.scaling.svc.example'] };
    const plan = planCertificates(good, wanted, NOW);
    expect(plan).to.include({ action: 'issue' });
    expect(plan).to.have.property(
      'reason',
      'the certificate is not for metrics.scaling.svc.example',
    );
  });

  const ages: readonly [string, number, string, string][] = [
    ['a certificate that ends soon', 276, 'issue', 'the certificate ends soon'],
    ['a certificate that has ended', 366, 'issue', 'the certificate is not valid now'],
    ['a certificate of the future', -1, 'make', 'the authority is not valid now'],
    ['an authority that ends soon', 3650 - 399, 'make', 'the authority ends soon'],
    ['an authority that has ended', 3651, 'make', 'the authority is not valid now'],
  ];
  for (const [title, days, action, reason] of ages) {
    it(`renews ${title}`, () => {
      expect(planCertificates(good, WANTED, daysLater(days))).to.include({ action, reason });
    });
  }

  it('goes on trusting an authority that ends soon', () => {
    const plan = planCertificates(good, WANTED, daysLater(3650 - 399));
    expect(plan)
      .to.have.property('trusted')
      .that.deep.equals([`${good.ca.trim()}\n`]);
  });

  it('trusts no authority that has ended', () => {
    expect(planCertificates(good, WANTED, daysLater(3651))).to.deep.include({ trusted: [] });
  });

  it('makes an authority where its key is that of another one', () => {
    const plan = planCertificates({ ...good, caKey: other.caKey }, WANTED, NOW);
    expect(plan).to.include({ action: 'make', reason: 'no authority in ca.crt belongs to ca.key' });
  });

  it('keeps good certificates that somebody else makes', () => {
    const plan = planCertificates({ ...good, caKey: undefined }, WANTED, daysLater(300));
    expect(plan.action).to.equal('keep');
  });

  it('replaces no pair without an authority', () => {
    const existing = parseSecretData({ 'tls.crt': good.cert, 'tls.key': good.key });
    expect(planCertificates(existing, WANTED, NOW).action).to.equal('refuse');
  });

  it('replaces no certificates that somebody else makes', () => {
    const plan = planCertificates({ ...good, caKey: undefined }, WANTED, daysLater(366));
    expect(plan).to.deep.equal({ action: 'refuse', reason: 'the certificate is not valid now' });
  });
});

describe('certificates that are made', () => {
  it('are of their authority, for every name, and no authorities themselves', async () => {
    const { ca, cert } = await makeMaterial();
    const [authority, leaf] = [new X509Certificate(ca), new X509Certificate(cert)];
    expect(leaf.verify(authority.publicKey)).to.equal(true);
    expect(NAMES.slice(0, 3).map((name) => leaf.checkHost(name))).to.deep.equal(NAMES.slice(0, 3));
    expect(leaf.checkIP('127.0.0.1')).to.equal('127.0.0.1');
    expect([authority.ca, leaf.ca]).to.deep.equal([true, false]);
    expect(leaf.publicKey.asymmetricKeyDetails).to.deep.equal({ namedCurve: 'prime256v1' });
  });

  it('never outlive their authority', async () => {
    const lifetimes = { ...DEFAULT_LIFETIMES, authorityMs: 10 * DAY_MS };
    const authority = await makeAuthority(NOW, lifetimes);
    const { cert } = await issueCertificate(authority, NAMES, NOW, lifetimes);
    const ends = [authority.cert, cert].map((pem) => new X509Certificate(pem).validTo);
    expect(ends[1]).to.equal(ends[0]);
  });

  it('come back whole from the data of a Secret', async () => {
    const material = await makeMaterial();
    expect(parseSecretData(renderSecretData(material))).to.deep.equal(material);
    expect(parseSecretData({ note: 'mine' })).to.equal(undefined);
  });
});
