/** Bytes as Python prints them, between `b'` and a quote. */
export function bytesRepr(bytes: Buffer): string {
  const body = bytes.toString('latin1').replace(/[^ -~]|[\\']/g, escapeByte);
  return `b'${body}'`;
}

function escapeByte(char: string): string {
  const named = NAMED_BYTES.get(char);
  return named ?? `\\x${char.charCodeAt(0).toString(16).padStart(2, '0')}`;
}

const NAMED_BYTES: ReadonlyMap<string, string> = new Map([
  ['\\', '\\\\'],
  ["'", "\\'"],
  ['\n', '\\n'],
  ['\r', '\\r'],
  ['\t', '\\t'],
]);
