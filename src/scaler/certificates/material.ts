/** What TLS needs on either side of a connection, as PEM texts. */
export interface TlsCredentials {
  /** The certificate, those that lead to its authority after it. */
  readonly cert: string;
  readonly key: string;
  /** The authorities whose certificates the other side may show; one text with one or more. */
  readonly ca: string;
}

/** The Secret that the operator keeps: an authority and one certificate of it. */
export interface CertificateMaterial extends TlsCredentials {
  /** The authority's key; absent where somebody else makes the certificates. */
  readonly caKey: string | undefined;
}

/** The keys under which Secrets hold them (those of KEDA and of `kubernetes.io/tls`). */
const KEYS = { ca: 'ca.crt', caKey: 'ca.key', cert: 'tls.crt', key: 'tls.key' } as const;

/** The data of the Secret, decoded. */
export function renderSecretData(material: CertificateMaterial): Readonly<Record<string, string>> {
  const { ca, caKey, cert, key } = material;
  const own = caKey === undefined ? {} : { [KEYS.caKey]: caKey };
  return { [KEYS.ca]: ca, ...own, [KEYS.cert]: cert, [KEYS.key]: key };
}

/** The certificates in the data of a Secret (decoded), or undefined where it holds no part of them. Missing parts are empty. */
export function parseSecretData(
  data: Readonly<Record<string, string>>,
): CertificateMaterial | undefined {
  if (Object.values(KEYS).every((key) => !data[key])) return undefined;
  const [ca = '', cert = '', key = ''] = [data[KEYS.ca], data[KEYS.cert], data[KEYS.key]];
  return { ca, cert, key, caKey: data[KEYS.caKey] || undefined };
}
