import type { Command } from '../../shared/shell.ts';
import type { Value } from '../values.ts';

/** What the script printed, by section. */
export type Sections = ReadonlyMap<string, string>;

/** Facts without prefix, as plain data. */
export type PlainFacts = Readonly<Record<string, unknown>>;

/** One topic of facts: shell that prints sections, and a pure reading of them. */
export interface Collector {
  /** The subset that stands for it. */
  readonly name: string;
  /** Further subset names that select it. */
  readonly ids?: readonly string[];
  /** Collectors whose facts this one builds on. */
  readonly needs?: readonly string[];
  /** Uses the functions of `SCRIPT_FUNCTIONS`. Fits dash and busybox ash. */
  readonly script: Command;
  /** Facts of the sections; `facts` are those gathered before. */
  parse(sections: Sections, facts: ReadonlyMap<string, Value>): PlainFacts;
}

/** Text of a section, or nothing. */
export function section(sections: Sections, name: string): string {
  return sections.get(name) ?? '';
}

/** Lines of a section that are not empty. */
export function lines(sections: Sections, name: string): readonly string[] {
  return section(sections, name)
    .split('\n')
    .filter((line) => line.trim() !== '');
}

/** The rows `path<TAB>value` that `v` and `k` print. */
export function rows(sections: Sections, name: string): ReadonlyMap<string, string> {
  const pairs = lines(sections, name).map((line) => line.split('\t'));
  return new Map(pairs.map(([path = '', ...value]) => [path, value.join('\t').trim()]));
}

/** Variables of a file of shell assignments, such as os-release. */
export function assignments(text: string): ReadonlyMap<string, string> {
  const found = text.matchAll(/^\s*([A-Za-z_]\w*)=(.*)$/gm);
  return new Map([...found].map(([, name = '', value = '']) => [name, unquoted(value.trim())]));
}

function unquoted(value: string): string {
  const quote = value[0];
  if (value.length < 2 || (quote !== '"' && quote !== "'") || !value.endsWith(quote)) return value;
  return value.slice(1, -1).replace(/\\(["'$`\\])/g, '$1');
}
