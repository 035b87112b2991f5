import { Markup, type Val } from './objects.ts';
import { partsOf, textOf } from './text.ts';

const ENTITIES: ReadonlyMap<string, string> = new Map([
  ['&', '&amp;'],
  ['<', '&lt;'],
  ['>', '&gt;'],
  ["'", '&#39;'],
  ['"', '&#34;'],
]);

/** The text with HTML's special characters as entities; text that is escaped already stays as it is. */
export function escapeHtml(value: Val): string {
  if (value instanceof Markup) return value.value;
  return textOf(value).replace(/[&<>'"]/g, (char) => ENTITIES.get(char) ?? char);
}

const NAMED: ReadonlyMap<string, string> = new Map([
  ['amp', '&'],
  ['lt', '<'],
  ['gt', '>'],
  ['quot', '"'],
  ['apos', "'"],
  ['nbsp', '\u00a0'],
]);

/** The text with entities turned back into characters. */
export function unescapeHtml(text: string): string {
  return text.replace(
    /&(?:#(\d{1,7})|#[xX]([\da-fA-F]{1,6})|(\w+));/g,
    (whole, decimal, hex, name) => {
      if (name !== undefined) return NAMED.get(name) ?? whole;
      const code = decimal === undefined ? Number.parseInt(hex, 16) : Number(decimal);
      return code <= 0x10ffff ? String.fromCodePoint(code) : whole;
    },
  );
}

/** The text without tags and comments, its whitespace collapsed. */
export function stripTags(value: Val): string {
  const bare = without(without(textOf(value), '<!--', '-->'), '<', '>');
  return unescapeHtml(partsOf(bare, /\s+/).filter(Boolean).join(' '));
}

/** The text without what stands between an opening and the next closing mark, in linear time. */
function without(text: string, open: string, close: string): string {
  let out = '';
  let at = 0;
  for (;;) {
    const start = text.indexOf(open, at);
    const end = start === -1 ? -1 : text.indexOf(close, start);
    if (end === -1) return out + text.slice(at);
    out += text.slice(at, start);
    at = end + close.length;
  }
}
