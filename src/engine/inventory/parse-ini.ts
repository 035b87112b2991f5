import { ownText } from '../own-text.ts';
import { hasTemplate, type Position, TrustedTemplate, type Value } from '../values.ts';
import { expandHostName } from './host-range.ts';
import { type IniWord, splitIniWords } from './ini-words.ts';
import { type Graph, GroupCycle, type Report, setGroupVariable } from './model.ts';
import { parsePythonLiteral } from './python-literal.ts';

type Kind = 'hosts' | 'children' | 'vars';

interface Mention {
  readonly name: string;
  readonly parent: string;
  readonly place: Position;
}

/** Reads an INI inventory into a graph. What is wrong with it goes to the report, every line of it. */
export function parseIniInventory(text: string, file: string, graph: Graph, report: Report): void {
  const reader = new IniReader(graph, report);
  for (const [index, raw] of text
    .replace(/^\ufeff/, '')
    .split(/\r?\n/)
    .entries()) {
    const line = raw.trim();
    const column = raw.length - raw.trimStart().length + 1;
    if (line !== '' && !/^[;#]/.test(line)) reader.line(line, { file, line: index + 1, column });
  }
  reader.finish();
}

class IniReader {
  readonly #graph: Graph;
  readonly #report: Report;
  readonly #defined: Set<string>;
  /** Children that were named before they were defined. They join their parents in the order of definition. */
  readonly #pending = new Map<string, Mention[]>();
  readonly #variableSections: Omit<Mention, 'parent'>[] = [];
  #group = 'ungrouped';
  #kind: Kind = 'hosts';

  constructor(graph: Graph, report: Report) {
    this.#graph = graph;
    this.#defined = new Set(graph.groups.keys());
    this.#report = report;
  }

  line(line: string, place: Position): void {
    if (line.startsWith('[') && this.#section(line, place)) return;
    if (this.#kind === 'vars') this.#variable(line, place);
    else if (this.#kind === 'children') this.#child(line, place);
    else this.#hosts(line, place);
  }

  /** What could only be judged at the end: sections may stand in any order. */
  finish(): void {
    for (const { name, place } of [...this.#pending.values()].flat()) {
      this.#report.problem(place, `the group "${name}" is not defined`, `add a section [${name}]`);
    }
    for (const { name, place } of this.#variableSections) {
      if (this.#defined.has(name)) continue;
      const message = `the group "${name}" has variables but is not defined`;
      this.#report.problem(place, message, `add a section [${name}]`);
    }
  }

  /** Whether the line is a section header. A line such as `[::1]:22` is a host. */
  #section(line: string, place: Position): boolean {
    const [, name, kind = 'hosts'] = /^\[([^:\]\s]+)(?::(\w+))?\]\s*(?:#.*)?$/.exec(line) ?? [];
    if (name === undefined) return this.#refusedSection(line, place);
    if (kind !== 'hosts' && kind !== 'children' && kind !== 'vars') {
      this.#report.problem(
        place,
        `the section [${name}:${kind}] is of an unknown kind`,
        'children and vars exist',
      );
      this.#kind = 'hosts';
      return true;
    }
    [this.#group, this.#kind] = [name, kind];
    this.#graph.group(name);
    if (kind === 'vars') this.#variableSections.push({ name, place });
    else this.#define(name);
    return true;
  }

  #refusedSection(line: string, place: Position): boolean {
    if (!/^\[[^\]]*\]?\s*(?:#.*)?$/.test(line) || /^\[[0-9a-fA-F:.]*:[0-9a-fA-F:.]*:/.test(line))
      return false;
    this.#report.problem(
      place,
      `${line} is not a section header`,
      'write [group], [group:children] or [group:vars]',
    );
    return true;
  }

  #variable(line: string, place: Position): void {
    const at = line.indexOf('=');
    if (at < 0) {
      this.#report.problem(place, `"${line}" is not a variable`, 'write name=value');
      return;
    }
    const value = line.slice(at + 1).trimStart();
    const column = place.column + line.length - value.length;
    this.#attempt(place, () =>
      setGroupVariable(
        this.#graph.group(this.#group),
        line.slice(0, at).trim(),
        parseValue(value, { ...place, column }),
      ),
    );
  }

  #child(line: string, place: Position): void {
    const name = /^([^\s:#]+)\s*(?:#.*)?$/.exec(line)?.[1];
    if (name === undefined) this.#report.problem(place, `"${line}" is not the name of a group`);
    else this.#mention({ name, place, parent: this.#group });
  }

  #define(name: string): void {
    this.#defined.add(name);
    for (const mention of this.#pending.get(name) ?? []) this.#link(mention);
    this.#pending.delete(name);
  }

  #mention(mention: Mention): void {
    if (this.#defined.has(mention.name)) this.#link(mention);
    else this.#pending.set(mention.name, [...(this.#pending.get(mention.name) ?? []), mention]);
  }

  #link({ parent, name, place }: Mention): void {
    try {
      this.#graph.link(parent, name);
    } catch (error) {
      if (!(error instanceof GroupCycle)) throw error;
      this.#report.problem(place, error.message);
    }
  }

  #hosts(line: string, place: Position): void {
    this.#attempt(place, () => {
      const [first, ...settings] = splitIniWords(line);
      if (first === undefined) return;
      const { names, port } = expandHostName(first.text);
      for (const name of names) {
        this.#graph.join(this.#group, name);
        if (port !== undefined) this.#graph.host(name).vars.set('ansible_port', port);
      }
      for (const word of settings) this.#hostVariable(names, word, place);
    });
  }

  #hostVariable(names: readonly string[], { text, column }: IniWord, line: Position): void {
    const place = { ...line, column: line.column + column - 1 };
    const at = text.indexOf('=');
    if (at <= 0) {
      const hint = 'write name=value, one host on each line; quote a value with spaces';
      this.#report.problem(place, `"${text}" is not a variable of a host`, hint);
      return;
    }
    const value = parseValue(text.slice(at + 1), { ...place, column: place.column + at + 1 });
    for (const name of names) this.#graph.host(name).vars.set(text.slice(0, at), value);
  }

  #attempt(place: Position, action: () => void): void {
    try {
      action();
    } catch (error) {
      if (!(error instanceof RangeError)) throw error;
      this.#report.problem(place, error.message);
    }
  }
}

/** A value of an INI inventory: a Python literal, else text, which may be a template. */
function parseValue(text: string, place: Position): Value {
  const value = parsePythonLiteral(text);
  return trustTemplates(value === undefined ? text : value, place);
}

/** Makes templates of the strings of a value that came from the user's own inventory. */
function trustTemplates(value: Value, place: Position | undefined): Value {
  if (typeof value === 'string')
    return hasTemplate(value) ? new TrustedTemplate(value, place) : ownText(value);
  if (Array.isArray(value)) return value.map((each: Value) => trustTemplates(each, place));
  if (!(value instanceof Map)) return value;
  return new Map([...value].map(([key, each]) => [key, trustTemplates(each, place)]));
}
