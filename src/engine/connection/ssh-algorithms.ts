/** Which host key algorithms are asked for, and in which order. */

const ALGORITHMS = [
  'ssh-ed25519',
  'ecdsa-sha2-nistp256',
  'ecdsa-sha2-nistp384',
  'ecdsa-sha2-nistp521',
  'rsa-sha2-512',
  'rsa-sha2-256',
  'ssh-rsa',
] as const;

type Algorithm = (typeof ALGORITHMS)[number];

/** All of them, those for the key types on record first: a key of another type would look like a changed key. */
export function hostKeyAlgorithms(knownTypes: readonly string[]): Algorithm[] {
  const keyType = (algorithm: Algorithm) => (algorithm.startsWith('rsa-') ? 'ssh-rsa' : algorithm);
  const recorded = ALGORITHMS.filter((algorithm) => knownTypes.includes(keyType(algorithm)));
  return [...recorded, ...ALGORITHMS.filter((algorithm) => !recorded.includes(algorithm))];
}
