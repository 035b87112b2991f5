/** Checksums as get_url is given them: `sha256:<hex>` or `sha256:<URL of a file of sums>`. */
import { TaskError } from '../../../engine/module.ts';

const ALGORITHMS = ['md5', 'sha1', 'sha224', 'sha256', 'sha384', 'sha512'] as const;

export type Algorithm = (typeof ALGORITHMS)[number];

export interface WantedChecksum {
  readonly algorithm: Algorithm;
  /** Lower-case hex digest, or the URL of a file that lists it. */
  readonly value: string;
  readonly isUrl: boolean;
}

/** Reads the argument; undefined where it is empty. Throws TaskError where it is malformed. */
export function parseChecksum(text: string): WantedChecksum | undefined {
  if (text === '') return undefined;
  const [, name = '', value = ''] = /^([^:]*):(.*)$/s.exec(text.trim()) ?? [];
  if (value === '') {
    throw new TaskError('The checksum parameter has to be in format <algorithm>:<checksum>', {
      hint: 'for example "sha256:9f86d081…", or "sha256:https://example.org/SHA256SUMS"',
    });
  }
  const algorithm = ALGORITHMS.find((each) => each === name.toLowerCase());
  if (algorithm === undefined) {
    throw new TaskError(`checksum algorithm "${name}" is not known`, {
      hint: `there is ${ALGORITHMS.join(', ')}`,
    });
  }
  const isUrl = /^[a-z]+:\/\//i.test(value.trim());
  const digest = value.replace(/\W+/g, '').toLowerCase();
  if (isUrl) return { algorithm, value: value.trim(), isUrl };
  if (!/^[0-9a-f]+$/.test(digest)) throw new TaskError('The checksum format is invalid');
  return { algorithm, value: digest, isUrl };
}

/** The digest of a file in the text of a file of sums, in the form of coreutils or of BSD; undefined where it has none. */
export function findChecksum(text: string, fileName: string): string | undefined {
  const lines = text.split('\n').map((line) => line.trim());
  const only = lines.filter((line) => line !== '');
  if (only.length === 1 && /^[0-9a-f]+$/i.test(only[0] ?? '')) return only[0]?.toLowerCase();
  for (const line of lines) {
    const [, bsdName, bsdSum] = /^\S+ \((.+)\) = ([0-9a-f]+)$/i.exec(line) ?? [];
    const [, sum, name] = /^([0-9a-f]+)\s+\*?(.+)$/i.exec(line) ?? [];
    if (bsdName?.replace(/^\.\//, '') === fileName) return bsdSum?.toLowerCase();
    if (name?.replace(/^\.\//, '') === fileName) return sum?.toLowerCase();
  }
  return undefined;
}
