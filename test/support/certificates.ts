/** Authorities and certificates for servers and clients of tests. */
import { generate } from 'selfsigned';

export interface TestAuthority {
  readonly cert: string;
  readonly key: string;
}

const OPTIONS = { keyType: 'ec', curve: 'P-256', algorithm: 'sha256' } as const;

export async function makeTestAuthority(commonName: string): Promise<TestAuthority> {
  const made = await generate([{ name: 'commonName', value: commonName }], {
    ...OPTIONS,
    notBeforeDate: twoDaysAgo(),
    extensions: [
      { name: 'basicConstraints', cA: true, critical: true },
      { name: 'keyUsage', keyCertSign: true, critical: true },
    ],
  });
  return { cert: made.cert, key: made.private };
}

export interface TestCertificate {
  readonly commonName: string;
  readonly organization?: string;
  readonly names?: readonly string[];
  readonly notAfter?: Date;
  readonly isForServersOnly?: boolean;
}

/** A certificate for both ends, for `localhost` where no names are given. */
export async function issueTestCertificate(
  ca: TestAuthority,
  { commonName, organization, names = ['localhost'], notAfter, isForServersOnly }: TestCertificate,
): Promise<TestAuthority> {
  const made = await generate(
    [
      { name: 'commonName', value: commonName },
      ...(organization === undefined ? [] : [{ name: 'organizationName', value: organization }]),
    ],
    {
      ...OPTIONS,
      ca,
      notBeforeDate: twoDaysAgo(),
      ...(notAfter === undefined ? {} : { notAfterDate: notAfter }),
      extensions: [
        { name: 'basicConstraints', cA: false },
        { name: 'extKeyUsage', serverAuth: true, clientAuth: isForServersOnly !== true },
        {
          name: 'subjectAltName',
          altNames: names.map((value) => ({ type: 2, value })),
        },
      ],
    },
  );
  return { cert: made.cert, key: made.private };
}

function twoDaysAgo(): Date {
  return new Date(Date.now() - 172_800_000);
}
