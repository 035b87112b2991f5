const LETTERS = 'abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ';
const RANGE = /\[([^\]:]*):([^\]:]*)(?::([^\]:]*))?\]/;
/** More hosts than this from one line is a slip of the finger. */
const MAX_HOSTS = 65_536;

/** The hosts that a name in an inventory stands for. */
export interface HostNames {
  readonly names: readonly string[];
  readonly port?: number | undefined;
}

/**
 * Splits a port off a host name and expands its ranges: `web[01:20:2].x[a:c]:2222`. IPv6 addresses with a port
 * stand in brackets. Throws RangeError that says what is wrong with a range.
 */
export function expandHostName(text: string): HostNames {
  const { name, port } = splitPort(text);
  if (isIpv6(name)) return { names: [name], port };
  return { names: expandRanges(name), port };
}

/** Separates `host:port`, `[address]:port` and `[address]`. */
function splitPort(text: string): {
  readonly name: string;
  readonly port?: number | undefined;
} {
  const [, inBrackets, bracketPort] = /^\[([^[\]]*:[^[\]]*:[^[\]]*)\](?::(\d+))?$/.exec(text) ?? [];
  if (inBrackets !== undefined && isIpv6(inBrackets))
    return { name: inBrackets, port: portOf(bracketPort) };
  const [, name, port] = /^((?:[^:[\]]|\[[^\]]*\])+):(\d+)$/.exec(text) ?? [];
  return name === undefined ? { name: text } : { name, port: portOf(port) };
}

function portOf(digits: string | undefined): number | undefined {
  return digits === undefined ? undefined : Number(digits);
}

function isIpv6(text: string): boolean {
  return /^[0-9a-fA-F:.]*:[0-9a-fA-F:.]*:[0-9a-fA-F:.%\w]*$/.test(text);
}

function expandRanges(name: string): string[] {
  const match = RANGE.exec(name);
  if (match === null) return [name];
  const [range, begin = '', end = '', step] = match;
  const [head, tail] = [name.slice(0, match.index), name.slice(match.index + range.length)];
  const tails = expandRanges(tail);
  const middles = membersOf(begin === '' ? '0' : begin, end, step);
  if (middles.length * tails.length > MAX_HOSTS)
    throw new RangeError(`${name} stands for too many hosts`);
  return middles.flatMap((middle) => tails.map((each) => head + middle + each));
}

function membersOf(begin: string, end: string, step: string | undefined): string[] {
  if (end === '') throw new RangeError(`the range [${begin}:] has no end`);
  const stride = step === undefined ? 1 : Number(step);
  if (!Number.isInteger(stride) || stride < 1)
    throw new RangeError(`the step "${step}" of a range is not a whole number`);
  const isLetters =
    LETTERS.includes(begin) && LETTERS.includes(end) && begin.length * end.length === 1;
  const [first, last] = isLetters
    ? [LETTERS.indexOf(begin), LETTERS.indexOf(end)]
    : numbers(begin, end);
  if (first > last) throw new RangeError(`the range [${begin}:${end}] ends before it begins`);
  if ((last - first) / stride > MAX_HOSTS)
    throw new RangeError(`the range [${begin}:${end}] stands for too many hosts`);
  const width = isPadded(begin) ? begin.length : 0;
  const count = Math.floor((last - first) / stride) + 1;
  const values = Array.from({ length: count }, (_, i) => first + i * stride);
  return values.map((value) =>
    isLetters ? (LETTERS[value] ?? '') : String(value).padStart(width, '0'),
  );
}

function numbers(begin: string, end: string): [number, number] {
  if (!/^\d+$/.test(begin) || !/^\d+$/.test(end)) {
    throw new RangeError(`the range [${begin}:${end}] is neither of numbers nor of letters`);
  }
  if (isPadded(begin) && begin.length !== end.length) {
    throw new RangeError(`the ends of the range [${begin}:${end}] differ in length`);
  }
  return [Number(begin), Number(end)];
}

function isPadded(digits: string): boolean {
  return digits.length > 1 && digits.startsWith('0');
}
