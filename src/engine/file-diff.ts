import type { Diff, PathState } from './host-contract.ts';

/** Larger texts are not compared line by line; Ansible's limit. */
export const DIFF_LIMIT_BYTES = 104_448;

interface NewContent {
  readonly sizeBytes: number;
  readonly bytes?: Buffer;
}

/** What `--diff` shows for a content that replaces a file, or for a new file when there is none. */
export function contentDiff(
  path: string,
  current: PathState | undefined,
  { sizeBytes, bytes }: NewContent,
  source = path,
): Diff {
  const note =
    refusal('destination', current?.size ?? 0, current?.content) ??
    refusal('source', sizeBytes, bytes);
  if (note !== undefined) return { prepared: `diff skipped: ${note}\n` };
  return {
    before: current?.content?.toString() ?? '',
    after: bytes?.toString() ?? '',
    ...(current !== undefined && { beforeHeader: path }),
    afterHeader: source,
  };
}

function refusal(side: string, sizeBytes: number, bytes: Buffer | undefined): string | undefined {
  if (sizeBytes > DIFF_LIMIT_BYTES) return `${side} file size is greater than ${DIFF_LIMIT_BYTES}`;
  return bytes?.includes(0) ? `${side} file appears to be binary` : undefined;
}
