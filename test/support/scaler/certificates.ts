import { generate } from 'selfsigned';

export interface KeyPair {
  readonly cert: string;
  readonly key: string;
}

/** A new authority, and certificates that it signed for a server on loopback and for a client. */
export interface TestAuthority {
  readonly ca: string;
  readonly server: KeyPair;
  readonly client: KeyPair;
}

export async function makeTestAuthority(): Promise<TestAuthority> {
  const ca = await generate([{ name: 'commonName', value: 'Test Authority' }], {
    keyType: 'ec',
    algorithm: 'sha256',
    extensions: [{ name: 'basicConstraints', cA: true, critical: true }],
  });
  const signed = async (name: string) => {
    const { cert, private: key } = await generate([{ name: 'commonName', value: name }], {
      keyType: 'ec',
      algorithm: 'sha256',
      ca: { cert: ca.cert, key: ca.private },
      extensions: [
        {
          name: 'subjectAltName',
          altNames: [
            { type: 2, value: 'localhost' },
            { type: 2, value: 'source.example' },
            { type: 7, ip: '127.0.0.1' },
          ],
        },
      ],
    });
    return { cert, key };
  };
  return { ca: ca.cert, server: await signed('localhost'), client: await signed('client') };
}
