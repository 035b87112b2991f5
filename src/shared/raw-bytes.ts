/** Bytes that are no UTF-8 within a text: each stands as a lone surrogate, as Python's `surrogateescape` has it. */

const strict = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });
const FIRST_ESCAPE = 0xdc00;

/** The text of some bytes; what is no UTF-8 is kept, so that `toBytes` gives it back. */
export function toText(bytes: Buffer): string {
  return decoded(bytes) ?? toTextBySteps(bytes);
}

function toTextBySteps(bytes: Buffer): string {
  const parts: string[] = [];
  for (let at = 0; at < bytes.length; ) {
    const length = lengthFrom(bytes[at] ?? 0);
    const character = decoded(bytes.subarray(at, at + length));
    parts.push(character ?? String.fromCharCode(FIRST_ESCAPE + (bytes[at] ?? 0)));
    at += character === undefined ? 1 : length;
  }
  return parts.join('');
}

/** How long the character is that begins with a byte, if one does. */
function lengthFrom(byte: number): number {
  if (byte >= 0xf0) return 4;
  if (byte >= 0xe0) return 3;
  return byte >= 0xc0 ? 2 : 1;
}

function decoded(bytes: Buffer): string | undefined {
  try {
    return strict.decode(bytes);
  } catch {
    return undefined;
  }
}

/** The bytes of a text, with those that `toText` has kept. */
export function toBytes(text: string): Buffer {
  const parts = text.split(/([\udc80-\udcff]+)/u);
  if (parts.length === 1) return Buffer.from(text);
  return Buffer.concat(
    parts.map((part, index) => Buffer.from(part, index % 2 === 0 ? 'utf8' : 'latin1')),
  );
}

/** Whether a text holds bytes that are no text. */
export function hasRawBytes(text: string): boolean {
  return /[\udc80-\udcff]/u.test(text);
}
