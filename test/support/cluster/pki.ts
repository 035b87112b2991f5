import { generateKeyPairSync } from 'node:crypto';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { generate } from 'selfsigned';

/** PEM texts. */
export interface KeyPair {
  readonly cert: string;
  readonly key: string;
}

/** Certificates of a control plane, and a place for their files. */
export class Pki {
  readonly #folder: string;
  readonly #authorities: { readonly cluster: KeyPair; readonly front: KeyPair };

  private constructor(folder: string, authorities: { cluster: KeyPair; front: KeyPair }) {
    this.#folder = folder;
    this.#authorities = authorities;
  }

  /**
   * Makes both authorities and every certificate that a control plane needs, as files. The API server's is good for
   * loopback and for the other addresses that are given.
   */
  static async create(folder: string, addresses: readonly string[] = []): Promise<Pki> {
    const [cluster, front] = await Promise.all([authority('cluster'), authority('front-proxy')]);
    const pki = new Pki(folder, { cluster, front });
    const serviceAccounts = generateKeyPairSync('rsa', { modulusLength: 2048 }).privateKey;
    const apiServer = { commonName: 'kube-apiserver' };
    const kubeletClient = { commonName: 'kubelet-client', organizationName: 'system:masters' };
    await Promise.all([
      pki.#write('ca', cluster),
      pki.#write('front-ca', front),
      pki.#write('apiserver', await leaf(cluster, apiServer, addresses)),
      pki.#write('front', await leaf(front, { commonName: 'front-proxy-client' })),
      pki.#write('kubelet-client', await leaf(cluster, kubeletClient)),
      writeFile(pki.path('sa.key'), serviceAccounts.export({ type: 'pkcs1', format: 'pem' })),
    ]);
    return pki;
  }

  path(name: string): string {
    return join(this.#folder, name);
  }

  /**
   * Writes a kubeconfig for a user of the cluster, with a certificate, and gives its path.
   * @param notAfter When the certificate expires; in a year by default.
   */
  async kubeconfig(
    user: string,
    groups: readonly string[],
    server: string,
    notAfter?: Date,
  ): Promise<string> {
    const subject = { commonName: user, organizationName: groups[0] };
    const { cert, key } = await leaf(this.#authorities.cluster, subject, [], notAfter);
    const base64 = (text: string) => Buffer.from(text).toString('base64');
    const identity = { 'client-certificate-data': base64(cert), 'client-key-data': base64(key) };
    return this.#writeKubeconfig(user, identity, server);
  }

  /** The same with a token. */
  tokenKubeconfig(user: string, token: string, server: string): Promise<string> {
    return this.#writeKubeconfig(user, { token }, server);
  }

  async #writeKubeconfig(user: string, identity: object, server: string): Promise<string> {
    const cluster = { server, 'certificate-authority': this.path('ca.crt') };
    const config = {
      apiVersion: 'v1',
      kind: 'Config',
      clusters: [{ name: 'test', cluster }],
      users: [{ name: user, user: identity }],
      contexts: [{ name: 'test', context: { cluster: 'test', user } }],
      'current-context': 'test',
    };
    const path = this.path(`${user.replaceAll(':', '-')}.kubeconfig`);
    // JSON is YAML.
    await writeFile(path, JSON.stringify(config));
    return path;
  }

  async #write(name: string, { cert, key }: KeyPair): Promise<void> {
    await writeFile(this.path(`${name}.crt`), cert);
    await writeFile(this.path(`${name}.key`), key, { mode: 0o600 });
  }
}

const DAY_MS = 86_400_000;

const COMMON = { keyType: 'ec', algorithm: 'sha256' } as const;

async function authority(commonName: string): Promise<KeyPair> {
  const { cert, private: key } = await generate([{ name: 'commonName', value: commonName }], {
    ...COMMON,
    extensions: [
      { name: 'basicConstraints', cA: true, critical: true },
      { name: 'keyUsage', keyCertSign: true, cRLSign: true, critical: true },
    ],
  });
  return { cert, key };
}

/** A certificate for clients, and for servers on loopback and the addresses. */
async function leaf(
  { cert: caCert, key: caKey }: KeyPair,
  subject: Readonly<Record<string, string | undefined>>,
  addresses: readonly string[] = [],
  notAfter?: Date,
): Promise<KeyPair> {
  const given = Object.entries(subject).filter(([, value]) => value !== undefined);
  const attributes = given.map(([name, value]) => ({ name, value: value ?? '' }));
  const { cert, private: key } = await generate(attributes, {
    ...COMMON,
    ...(notAfter && {
      notBeforeDate: new Date(notAfter.getTime() - DAY_MS),
      notAfterDate: notAfter,
    }),
    ca: { cert: caCert, key: caKey },
    extensions: [
      { name: 'basicConstraints', cA: false, critical: true },
      { name: 'keyUsage', digitalSignature: true, critical: true },
      { name: 'extKeyUsage', clientAuth: true, serverAuth: true },
      {
        name: 'subjectAltName',
        altNames: [
          { type: 2, value: 'localhost' },
          { type: 2, value: 'kubernetes.default.svc' },
          { type: 7, ip: '127.0.0.1' },
          { type: 7, ip: '10.96.0.1' },
          ...addresses.map((ip) => ({ type: 7 as const, ip })),
        ],
      },
    ],
  });
  return { cert, key };
}
