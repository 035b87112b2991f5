import { TaskError } from '../../engine/module.ts';
import { toBytes } from '../../shared/raw-bytes.ts';
import { table } from '../../shared/table.ts';

/** Python's names of encodings in Node's words, or those of the Encoding Standard; the rest is spelt alike in both. */
const SAME: Readonly<Record<string, string>> = table({
  '': 'utf-8',
  utf8: 'utf-8',
  u8: 'utf-8',
  usascii: 'ascii',
  latin1: 'latin1',
  iso88591: 'latin1',
  l1: 'latin1',
  utf16le: 'utf-16le',
});
/** Of one byte for each character, so that all characters can be asked for. */
const SINGLE_BYTE =
  /^(windows-?|cp)125\d$|^(windows-?874|iso-?8859-?\d+|koi8-?[ru]|ibm866|cp866|macintosh)$/;

/** The bytes of a text in an encoding by one of Python's names. Throws TaskError where it cannot be said in it. */
export function encodeText(text: string, encoding: string): Buffer {
  const plain = encoding.toLowerCase().replaceAll('_', '-');
  const name = SAME[plain.replaceAll('-', '')] ?? plain;
  if (name === 'utf-8') return toBytes(text);
  if (name === 'utf-16le') return Buffer.from(text, 'utf16le');
  if (name === 'utf-16') return Buffer.from(`\ufeff${text}`, 'utf16le');
  return Buffer.from(Array.from(text, byteIn(bytesOf(name, encoding), encoding)));
}

type Bytes = ReadonlyMap<string, number>;

/** From 0x80 on. Node before 23 reads windows-1252 as if it were latin-1. */
const OF_WINDOWS_1252 = '€\0‚ƒ„…†‡ˆ‰Š‹Œ\0Ž\0\0‘’“”•–—˜™š›œ\0žŸ';

function byteIn(bytes: Bytes, encoding: string): (char: string) => number {
  return (char) => {
    const byte = bytes.get(char);
    if (byte !== undefined) return byte;
    throw new TaskError(`${encoding} has no "${char}"`, {
      hint: 'leave output_encoding out to write UTF-8',
    });
  };
}

function bytesOf(name: string, encoding: string): Bytes {
  if (name === 'ascii') return firstBytes(0x80);
  if (name === 'latin1') return firstBytes(0x100);
  if (!SINGLE_BYTE.test(name)) {
    throw new TaskError(`output_encoding "${encoding}" is not known`, {
      hint: 'utf-8, utf-16, utf-16-le, ascii, and those with one byte for a character, e.g. windows-1252',
    });
  }
  const label = labelOf(name);
  const decoder = new TextDecoder(label);
  const all = Array.from({ length: 0x100 }, (_, byte) => {
    const own = label === 'windows-1252' ? OF_WINDOWS_1252[byte - 0x80] : undefined;
    return [own ?? decoder.decode(Buffer.of(byte)), byte] as const;
  });
  return new Map(all.filter(([char, byte]) => char !== '\ufffd' && (char !== '\0' || byte === 0)));
}

const firstBytes = (count: number): Bytes =>
  new Map(Array.from({ length: count }, (_, byte) => [String.fromCharCode(byte), byte]));

/** The Encoding Standard writes windows-1252 and iso-8859-2. */
function labelOf(name: string): string {
  return name
    .replace(/^(windows-?|cp)(125\d|874)$/, 'windows-$2')
    .replace(/^iso-?8859-?(\d+)$/, 'iso-8859-$1')
    .replace(/^cp866$/, 'ibm866')
    .replace(/^koi8-?([ru])$/, 'koi8-$1');
}
