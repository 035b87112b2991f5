import { InvalidInput, type Place, type Problem } from '../../shared/errors.ts';

/** A value in a configuration file and where it stands. */
export interface ConfigEntry {
  readonly value: string;
  readonly place: Place;
}

/**
 * Parses an ansible.cfg as Python's configparser does: keys are case-insensitive, `=` or `:` separates,
 * indented lines continue a value, ` ;` begins a comment. Gives entries by `section.key`.
 * Throws InvalidInput with every line that cannot be read.
 */
export function parseConfigFile(text: string, file: string): Map<string, ConfigEntry> {
  const reader = new ConfigFileReader();
  for (const [index, line] of text.split(/\r?\n/).entries()) {
    reader.add(withoutComment(line), { file, line: index + 1, column: 1 });
  }
  if (reader.problems.length > 0) throw new InvalidInput(reader.problems);
  return reader.entries;
}

class ConfigFileReader {
  readonly entries = new Map<string, ConfigEntry>();
  readonly problems: Problem[] = [];
  #section: string | undefined;
  #last: string | undefined;

  add(line: string, place: Place): void {
    if (line.trim() === '') return;
    if (/^\s/.test(line) && this.#last !== undefined) this.#extend(this.#last, line.trim());
    else this.#begin(line, place);
  }

  #begin(line: string, place: Place): void {
    const parsed = parseLine(line);
    if (parsed.kind === 'section') [this.#section, this.#last] = [parsed.name, undefined];
    else if (parsed.kind === 'entry' && this.#section !== undefined) {
      this.#set(`${this.#section}.${parsed.key}`, { value: parsed.value, place });
    } else this.problems.push(unreadable(place, line, this.#section));
  }

  #set(key: string, entry: ConfigEntry): void {
    if (this.entries.has(key))
      this.problems.push({ place: entry.place, message: `${key} is set twice` });
    this.entries.set(key, entry);
    this.#last = key;
  }

  #extend(key: string, line: string): void {
    const entry = this.entries.get(key);
    if (entry !== undefined)
      this.entries.set(key, { ...entry, value: `${entry.value}\n${line}`.trim() });
  }
}

type Line =
  | { readonly kind: 'section'; readonly name: string }
  | { readonly kind: 'entry'; readonly key: string; readonly value: string }
  | { readonly kind: 'other' };

function parseLine(line: string): Line {
  const section = /^\[([^\]]+)\]/.exec(line)?.[1];
  if (section !== undefined) return { kind: 'section', name: section };
  const [, key, value = ''] = /^\s*([^=:\s][^=:]*?)\s*[=:]\s*(.*)$/.exec(line) ?? [];
  return key === undefined
    ? { kind: 'other' }
    : { kind: 'entry', key: key.toLowerCase(), value: value.trim() };
}

function withoutComment(line: string): string {
  return /^\s*[#;]/.test(line) ? '' : line.replace(/\s;.*$/, '').trimEnd();
}

function unreadable(place: Place, line: string, section: string | undefined): Problem {
  if (section === undefined) {
    return { place, message: `"${line.trim()}" stands before the first [section]` };
  }
  return { place, message: `"${line.trim()}" is not a setting`, hint: 'write key = value' };
}
