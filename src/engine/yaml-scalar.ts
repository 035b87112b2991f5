import { Float, Timestamp, type Value } from './values.ts';

/** A scalar that has the look of a type but no value of it, e.g. the date `2024-13-01`. */
export class MalformedScalar extends Error {
  override readonly name = 'MalformedScalar';
  readonly hint: string | undefined;
  constructor(message: string, hint?: string) {
    super(message);
    this.hint = hint;
  }
}

const NULL = /^(?:~|null|Null|NULL|)$/;
const TRUE = /^(?:yes|Yes|YES|true|True|TRUE|on|On|ON)$/;
const FALSE = /^(?:no|No|NO|false|False|FALSE|off|Off|OFF)$/;
const INT =
  /^(?:[-+]?0b[01_]+|[-+]?0[0-7_]+|[-+]?(?:0|[1-9][0-9_]*)|[-+]?0x[0-9a-fA-F_]+|[-+]?[1-9][0-9_]*(?::[0-5]?[0-9])+)$/;
const FLOAT =
  /^(?:[-+]?[0-9][0-9_]*\.[0-9_]*(?:[eE][-+][0-9]+)?|\.[0-9][0-9_]*(?:[eE][-+][0-9]+)?|[-+]?[0-9][0-9_]*(?::[0-5]?[0-9])+\.[0-9_]*|[-+]?\.(?:inf|Inf|INF)|\.(?:nan|NaN|NAN))$/;
const DATE = /^(\d{4})-(\d\d)-(\d\d)$/;
const MOMENT =
  /^(\d{4})-(\d\d?)-(\d\d?)(?:[Tt]|[ \t]+)(\d\d?):(\d\d):(\d\d)(?:\.(\d*))?(?:[ \t]*(?:(Z)|([-+])(\d\d?)(?::(\d\d))?))?$/;

/**
 * The value of a plain YAML 1.1 scalar, typed by the YAML 1.1 type repository as PyYAML reads it.
 * Throws MalformedScalar.
 */
export function parsePlainScalar(text: string): Value {
  if (NULL.test(text)) return null;
  if (TRUE.test(text)) return true;
  if (FALSE.test(text)) return false;
  if (!/^[-+.0-9<=]/.test(text)) return text;
  if (FLOAT.test(text)) return parseFloatScalar(text);
  if (INT.test(text)) return parseIntScalar(text);
  if (DATE.test(text) || MOMENT.test(text)) return parseTimestamp(text);
  if (text === '=' || text === '<<') {
    throw new MalformedScalar(`a bare ${text} has a special meaning in YAML`, 'quote it');
  }
  return text;
}

/** JSON has number forms that YAML 1.1 reads as text, e.g. `1e3`. */
export function isJson(text: string): boolean {
  if (!/^\s*[[{]/.test(text)) return false;
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}

/** The value of a JSON word or number, as Python's json module types it. */
export function parseJsonScalar(text: string): Value {
  if (text === 'null') return null;
  if (text === 'true' || text === 'false') return text === 'true';
  return /^-?\d+$/.test(text) ? narrow(BigInt(text)) : floatValue(Number(text));
}

/** A float of the value model: wrapped where a JavaScript number would look like an int. */
export function floatValue(number: number): number | Float {
  return Number.isInteger(number) || !Number.isFinite(number) ? new Float(number) : number;
}

/** The value of a YAML 1.1 int: binary, octal, hexadecimal, decimal or sexagesimal. Throws MalformedScalar. */
export function parseIntScalar(text: string): Value {
  const [negative, digits] = splitSign(text.replaceAll('_', ''));
  const magnitude = parseMagnitude(digits);
  if (magnitude === undefined) throw new MalformedScalar(`${text} is not an integer`);
  return narrow(negative ? -magnitude : magnitude);
}

function parseMagnitude(digits: string): bigint | undefined {
  if (/^0x[0-9a-f]+$/i.test(digits) || /^0b[01]+$/i.test(digits)) return BigInt(digits);
  if (/^0[0-7]*$/.test(digits)) return BigInt(`0o0${digits}`);
  if (/^[1-9]\d*$/.test(digits)) return BigInt(digits);
  if (!/^\d+(?::\d+)+$/.test(digits)) return undefined;
  return digits.split(':').reduce((sum, part) => sum * 60n + BigInt(part), 0n);
}

/** The value of a YAML 1.1 float: decimal, sexagesimal, `.inf` or `.nan`. Throws MalformedScalar. */
export function parseFloatScalar(text: string): Value {
  const [negative, digits] = splitSign(text.replaceAll('_', '').toLowerCase());
  const magnitude = parseFloatMagnitude(digits);
  if (magnitude === undefined) throw new MalformedScalar(`${text} is not a number`);
  return floatValue(negative ? -magnitude : magnitude);
}

function parseFloatMagnitude(digits: string): number | undefined {
  if (digits === '.inf') return Number.POSITIVE_INFINITY;
  if (digits === '.nan') return Number.NaN;
  const parts = digits.split(':');
  if (!parts.every((part) => /^(?:\d+\.?\d*|\.\d+)(?:e[-+]?\d+)?$/.test(part))) return undefined;
  return parts.map(Number).reduce((sum, part) => sum * 60 + part, 0);
}

/** The value of a YAML 1.1 timestamp; its text is what Python prints for it. Throws MalformedScalar. */
export function parseTimestamp(text: string): Timestamp {
  const date = DATE.exec(text);
  if (date !== null) return new Timestamp(checkedDate(date, text), true);
  const moment = MOMENT.exec(text);
  if (moment === null) throw new MalformedScalar(`${text} is not a date`);
  return new Timestamp(`${checkedDate(moment, text)} ${clockText(moment, text)}`, false);
}

function checkedDate([, year = '', month = '', day = '']: RegExpExecArray, text: string): string {
  const date = new Date(Date.UTC(2000, Number(month) - 1, Number(day)));
  date.setUTCFullYear(Number(year), Number(month) - 1, Number(day));
  if (Number(year) === 0 || date.getUTCMonth() + 1 !== Number(month) || Number(day) === 0) {
    throw new MalformedScalar(`the date ${text} does not exist`);
  }
  return `${year}-${month.padStart(2, '0')}-${day.padStart(2, '0')}`;
}

function clockText(moment: RegExpExecArray, text: string): string {
  const [hour = '', minute = '', second = '', fraction = ''] = moment.slice(4, 8);
  if (Number(hour) > 23 || Number(minute) > 59 || Number(second) > 59) {
    throw new MalformedScalar(`the time of ${text} does not exist`);
  }
  const micros = Number(fraction.slice(0, 6).padEnd(6, '0'));
  const tail = micros === 0 ? '' : `.${String(micros).padStart(6, '0')}`;
  return `${hour.padStart(2, '0')}:${minute}:${second}${tail}${zoneText(moment, text)}`;
}

function zoneText(moment: RegExpExecArray, text: string): string {
  const [utc, sign, hours = '', minutes = '0'] = moment.slice(8, 12);
  if (utc !== undefined) return '+00:00';
  if (sign === undefined) return '';
  const offset = Number(hours) * 60 + Number(minutes);
  if (offset >= 24 * 60) throw new MalformedScalar(`the time zone of ${text} does not exist`);
  const clock = [Math.floor(offset / 60), offset % 60].map((part) => String(part).padStart(2, '0'));
  return `${offset === 0 ? '+' : sign}${clock.join(':')}`;
}

function splitSign(text: string): [negative: boolean, rest: string] {
  return [text.startsWith('-'), text.replace(/^[-+]/, '')];
}

function narrow(integer: bigint): number | bigint {
  const number = Number(integer);
  return Number.isSafeInteger(number) ? number : integer;
}
