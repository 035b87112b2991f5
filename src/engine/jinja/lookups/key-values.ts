import { TemplateError } from '../errors.ts';

/** A lookup's term taken apart: the bare words and the `key=value` pairs. */
export interface KeyValues {
  readonly words: readonly string[];
  readonly pairs: ReadonlyMap<string, string>;
}

const TOKEN = /(?:[^\s"']|"(?:[^"\\]|\\[\s\S])*"|'(?:[^'\\]|\\[\s\S])*'|["'])+/g;

/** Reads `word key=value key="a b"`. Quotes around a word stay where they are part of it. Throws TemplateError on a key that is not known. */
export function parseKeyValues(
  text: string,
  known: ReadonlySet<string>,
  keepsQuotes = false,
): KeyValues {
  const words: string[] = [];
  const pairs = new Map<string, string>();
  for (const [token] of text.matchAll(TOKEN)) {
    const [, key, value] = /^(\w+)=([\s\S]*)$/.exec(token) ?? [];
    if (key === undefined) {
      words.push(keepsQuotes ? token : token.replace(/^(["'])([\s\S]*)\1$/, '$2'));
      continue;
    }
    if (!known.has(key)) throw new TemplateError(`the lookup has no option "${key}"`);
    pairs.set(key, (value ?? '').replace(/^(["'])([\s\S]*)\1$/, '$2'));
  }
  return { words, pairs };
}
