import { createHash, getHashes } from 'node:crypto';
import { toBytes, toText } from '../../../shared/raw-bytes.ts';
import { type Builtin, define } from '../builtin.ts';
import { truthy } from '../compare.ts';
import { TemplateError } from '../errors.ts';
import { encodingOf } from '../methods/string.ts';
import { Bytes, type Val } from '../objects.ts';
import { requireText, textOf } from '../text.ts';

/** Ansible's own namespace of version 5 UUIDs. */
const NAMESPACE = '361E6D51-FAEC-444A-9079-341386DA8E2E';

function bytesOf(value: Val): Buffer {
  return value instanceof Bytes ? value.buffer : toBytes(textOf(value));
}

function hash(value: Val, algorithm: Val): string {
  const name = requireText(algorithm, 'hashtype');
  if (!getHashes().includes(name)) throw new TemplateError(`there is no hash named "${name}"`);
  return createHash(name).update(bytesOf(value)).digest('hex');
}

function decodeBase64(base64: string, encoding: Val): string {
  const text = base64.replace(/[^A-Za-z0-9+/=]/g, '');
  const digits = text.replace(/=.*$/, '');
  const padding = text.length - digits.length;
  if (digits.length % 4 === 1 || (digits.length + padding) % 4 !== 0) {
    throw new TemplateError('the base64 text is not padded correctly');
  }
  const bytes = Buffer.from(digits, 'base64');
  const name = encodingOf(encoding);
  return name === 'utf8' ? toText(bytes) : bytes.toString(name);
}

function toUuid(value: Val, namespace: Val): string {
  const digits = requireText(namespace, 'namespace').replaceAll('-', '');
  if (!/^[\da-fA-F]{32}$/.test(digits)) throw new TemplateError('the namespace is no UUID');
  const bytes = createHash('sha1')
    .update(Buffer.from(digits, 'hex'))
    .update(bytesOf(value))
    .digest();
  bytes[6] = ((bytes[6] ?? 0) & 0x0f) | 0x50;
  bytes[8] = ((bytes[8] ?? 0) & 0x3f) | 0x80;
  return bytes
    .toString('hex', 0, 16)
    .replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5');
}

/** Filters of hashes and encodings. */
export const encodeFilters: readonly Builtin[] = [
  define('hash', "value, hashtype='sha1'", (_runtime, value, algorithm) => hash(value, algorithm)),
  define('md5', 'value', (_runtime, value) => hash(value, 'md5')),
  define('sha1 checksum', 'value', (_runtime, value) => hash(value, 'sha1')),
  define(
    'b64encode',
    "value, encoding='utf-8', urlsafe=False",
    (_runtime, value, encoding, urlsafe) => {
      const name = encodingOf(encoding);
      const isPlain = value instanceof Bytes || name === 'utf8';
      const bytes = isPlain ? bytesOf(value) : Buffer.from(textOf(value), name);
      const text = bytes.toString('base64');
      return truthy(urlsafe) ? text.replaceAll('+', '-').replaceAll('/', '_') : text;
    },
  ),
  define(
    'b64decode',
    "value, encoding='utf-8', urlsafe=False",
    (_runtime, value, encoding, urlsafe) => {
      const text = textOf(value);
      const plain = truthy(urlsafe) ? text.replaceAll('-', '+').replaceAll('_', '/') : text;
      return decodeBase64(plain, encoding);
    },
  ),
  define('to_uuid', `value, namespace='${NAMESPACE}'`, (_runtime, value, namespace) =>
    toUuid(value, namespace),
  ),
];
