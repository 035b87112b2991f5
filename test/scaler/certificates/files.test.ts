import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import {
  type CertificateFiles,
  readCertificateFiles,
  reloadCertificateFiles,
} from '../../../src/scaler/certificates/files.ts';
import { Changing } from '../../../src/scaler/changing.ts';
import {
  issueTestCertificate,
  makeTestAuthority,
  type TestAuthority,
} from '../../support/certificates.ts';

describe('certificates in files', () => {
  let folder: string;
  let files: CertificateFiles;
  let first: TestAuthority;
  let second: TestAuthority;

  before(async () => {
    folder = await mkdtemp(join(tmpdir(), 'tsprov-certificates-'));
    files = { cert: join(folder, 'tls.crt'), key: join(folder, 'tls.key') };
    const authority = await makeTestAuthority('files');
    first = await issueTestCertificate(authority, { commonName: 'first' });
    second = await issueTestCertificate(authority, { commonName: 'second' });
  });
  beforeEach(() => write(first));
  after(() => rm(folder, { recursive: true }));

  async function write({ cert, key }: TestAuthority): Promise<void> {
    await Promise.all([writeFile(files.cert, cert), writeFile(files.key, key)]);
  }

  it('are used anew when they change', async () => {
    const credentials = new Changing(await readCertificateFiles(files));
    const seen: string[] = [];
    credentials.onChange(({ cert }) => seen.push(cert));
    await reloadCertificateFiles(files, credentials);
    expect(seen).to.deep.equal([]);
    await write(second);
    await reloadCertificateFiles(files, credentials);
    expect(seen).to.deep.equal([second.cert]);
  });

  it('stay as they were while only half of a pair has been written', async () => {
    const credentials = new Changing(await readCertificateFiles(files));
    await writeFile(files.cert, second.cert);
    const error = await reloadCertificateFiles(files, credentials).catch((e) => e);
    expect(error.message).to.include(`${files.key} is not the key of the certificate in`);
    expect(credentials.value.cert).to.equal(first.cert);
  });

  it('that are not there are named', async () => {
    const key = join(folder, 'missing.key');
    const error = await readCertificateFiles({ ...files, key }).catch((e) => e);
    expect(error.message).to.equal(`${key} cannot be read: ENOENT`);
  });
});
