import {
  createCipheriv,
  createDecipheriv,
  createHmac,
  pbkdf2Sync,
  randomBytes,
  timingSafeEqual,
} from 'node:crypto';
import type { Envelope } from './envelope.ts';

const ITERATIONS = 10_000;
const BLOCK_BYTES = 16;

/** Encrypts as ansible-vault does: PBKDF2, AES-256-CTR with padding, HMAC over the ciphertext. */
export function seal(
  data: Buffer,
  password: string,
  { label, salt = randomBytes(32) }: { label?: string | undefined; salt?: Buffer } = {},
): Envelope {
  const keys = deriveKeys(password, salt);
  const cipher = createCipheriv('aes-256-ctr', keys.cipher, keys.iv);
  const padBytes = BLOCK_BYTES - (data.length % BLOCK_BYTES);
  const padding = Buffer.alloc(padBytes, padBytes);
  const ciphertext = Buffer.concat([cipher.update(data), cipher.update(padding), cipher.final()]);
  return { salt, hmac: authenticate(keys.hmac, ciphertext), ciphertext, label };
}

/** The content of an envelope, or undefined when the password is not the right one. */
export function open(envelope: Envelope, password: string): Buffer | undefined {
  const keys = deriveKeys(password, envelope.salt);
  const hmac = authenticate(keys.hmac, envelope.ciphertext);
  if (hmac.length !== envelope.hmac.length || !timingSafeEqual(hmac, envelope.hmac))
    return undefined;
  const decipher = createDecipheriv('aes-256-ctr', keys.cipher, keys.iv);
  const padded = Buffer.concat([decipher.update(envelope.ciphertext), decipher.final()]);
  return padded.subarray(0, padded.length - (padded.at(-1) ?? 0));
}

function deriveKeys(password: string, salt: Buffer) {
  const bytes = pbkdf2Sync(password, salt, ITERATIONS, 80, 'sha256');
  return { cipher: bytes.subarray(0, 32), hmac: bytes.subarray(32, 64), iv: bytes.subarray(64) };
}

function authenticate(key: Buffer, ciphertext: Buffer): Buffer {
  return createHmac('sha256', key).update(ciphertext).digest();
}
