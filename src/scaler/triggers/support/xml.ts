/**
 * XML as plain data: an element is its text, or an object of its children where it has children or attributes.
 * Attributes are named `-name`, text beside them `#text`; elements of one name make a list.
 */

export type XmlValue = string | readonly XmlValue[] | { readonly [name: string]: XmlValue };

interface Element {
  readonly name: string;
  readonly members: Record<string, XmlValue>;
  text: string;
}

const TOKEN =
  /<!--.*?-->|<\?.*?\?>|<!\[CDATA\[(?<cdata>.*?)\]\]>|<\/(?<close>[^\s>]+)\s*>|<(?<open>[^\s/>!?]+)(?<attributes>(?:\s+[^\s=/>]+\s*=\s*(?:"[^"<]*"|'[^'<]*'))*)\s*(?<empty>\/)?>|(?<text>[^<]+)/gsy;
const ATTRIBUTE = /([^\s=]+)\s*=\s*(?:"([^"]*)"|'([^']*)')/g;
const ENTITIES: Readonly<Record<string, string>> = {
  lt: '<',
  gt: '>',
  amp: '&',
  quot: '"',
  apos: "'",
};

/** @throws {RangeError} that says what is wrong. Document types are refused. */
export function parseXml(source: string): { readonly [name: string]: XmlValue } {
  const text = source.replace(/^\uFEFF/, '').trimStart();
  const root: Element = { name: '', members: {}, text: '' };
  const open: Element[] = [root];
  let end = 0;
  for (const match of text.matchAll(TOKEN)) {
    end += match[0].length;
    takeToken(match.groups ?? {}, open);
  }
  if (end < text.length) throw new RangeError(`cannot be read at "${text.slice(end, end + 20)}"`);
  const [, unclosed] = open;
  if (unclosed !== undefined) throw new RangeError(`ends within <${unclosed.name}>`);
  if (Object.keys(root.members).length === 0) throw new RangeError('holds no element');
  return root.members;
}

function takeToken(token: Readonly<Record<string, string | undefined>>, open: Element[]): void {
  const { cdata, close, open: name, attributes = '', empty, text } = token;
  const current = open.at(-1);
  if (current === undefined) return;
  if (cdata !== undefined) current.text += cdata;
  else if (text !== undefined) current.text += decode(text);
  else if (name !== undefined) {
    open.push({ name, members: attributesOf(attributes), text: '' });
    if (empty !== undefined) closeElement(name, open);
  } else if (close !== undefined) closeElement(close, open);
}

function closeElement(name: string, open: Element[]): void {
  const element = open.pop();
  const parent = open.at(-1);
  if (element === undefined || parent === undefined || element.name !== name) {
    throw new RangeError(`closes <${name}>, which is not open there`);
  }
  add(parent.members, name, dataOf(element));
}

function dataOf({ members, text }: Element): XmlValue {
  const trimmed = text.trim();
  if (Object.keys(members).length === 0) return trimmed;
  return trimmed === '' ? members : { ...members, '#text': trimmed };
}

function add(members: Record<string, XmlValue>, name: string, value: XmlValue): void {
  const before = Object.hasOwn(members, name) ? members[name] : undefined;
  if (before === undefined) members[name] = value;
  else members[name] = Array.isArray(before) ? [...before, value] : [before, value];
}

function attributesOf(text: string): Record<string, XmlValue> {
  const pairs = [...text.matchAll(ATTRIBUTE)];
  return Object.fromEntries(
    pairs.map(([, name, quoted, single]) => [`-${name}`, decode(quoted ?? single ?? '')]),
  );
}

function decode(text: string): string {
  return text.replace(/&(?:#x([0-9a-f]+)|#(\d+)|(\w+));/gi, (whole, hex, decimal, name) => {
    if (name !== undefined) return ENTITIES[name] ?? whole;
    const point = hex === undefined ? Number(decimal) : Number.parseInt(hex, 16);
    return point <= 0x10ffff ? String.fromCodePoint(point) : whole;
  });
}
