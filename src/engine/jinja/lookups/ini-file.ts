import { TemplateError } from '../errors.ts';

export interface IniRules {
  readonly caseSensitive: boolean;
  readonly allowNoValue: boolean;
  /** Whether `%(name)s` in a value stands for another value. */
  readonly interpolation: boolean;
}

/** A key that stands alone has no value. */
type Section = Map<string, string | undefined>;

const DEFAULT = 'DEFAULT';

const MAX_INTERPOLATIONS = 10;

/** An INI file, read as Python's ConfigParser reads it. Throws TemplateError on a line that does not fit. */
export class IniFile {
  readonly #rules: IniRules;
  readonly #sections = new Map<string, Section>([[DEFAULT, new Map()]]);

  constructor(text: string, rules: IniRules) {
    this.#rules = rules;
    let section: Section | undefined;
    let key: string | undefined;
    for (const line of text.split(/\r\n|\r|\n/)) {
      const bare = line.trim();
      if (bare === '' || /^[#;]/.test(bare)) continue;
      const header = /^\[([^\]]+)\]/.exec(line)?.[1];
      if (header !== undefined) {
        section = this.#open(header);
        key = undefined;
      } else if (section !== undefined && key !== undefined && /^\s/.test(line)) {
        section.set(key, `${section.get(key) ?? ''}\n${bare}`);
      } else {
        key = this.#option(section, bare);
      }
    }
  }

  #open(name: string): Section {
    const known = this.#sections.get(name);
    if (known !== undefined && name !== DEFAULT)
      throw new TemplateError(`the INI file has the section "${name}" twice`);
    const section: Section = known ?? new Map();
    this.#sections.set(name, section);
    return section;
  }

  #option(section: Section | undefined, line: string): string {
    if (section === undefined)
      throw new TemplateError(`the INI file has a line before its first section: "${line}"`);
    const [, name, value] = /^([^=:]+?)\s*[=:]\s*(.*)$/.exec(line) ?? [];
    if (name === undefined && !this.#rules.allowNoValue) {
      throw new TemplateError(`the INI file has a line without a value: "${line}"`);
    }
    const key = this.#key(name ?? line);
    if (section.has(key))
      throw new TemplateError(`the INI file has the key "${key}" twice in a section`);
    section.set(key, value);
    return key;
  }

  #key(name: string): string {
    return this.#rules.caseSensitive ? name : name.toLowerCase();
  }

  #section(name: string): Section {
    const section = this.#sections.get(name);
    if (section === undefined) throw new TemplateError(`the INI file has no section "${name}"`);
    return new Map([...(this.#sections.get(DEFAULT) ?? []), ...section]);
  }

  /** The values of a key: none where it stands alone, undefined where there is no such key. Throws TemplateError without the section. */
  get(section: string, key: string): readonly string[] | undefined {
    const members = this.#section(section);
    const name = this.#key(key);
    const value = members.get(name);
    if (value !== undefined) return [this.#filled(value, members, 0)];
    return members.has(name) ? [] : undefined;
  }

  /** All keys of a section with their values. */
  entries(section: string): readonly (readonly [string, string])[] {
    const members = this.#section(section);
    return [...members].map(
      ([key, value]) => [key, this.#filled(value ?? '', members, 0)] as const,
    );
  }

  #filled(value: string, members: Section, depth: number): string {
    if (!this.#rules.interpolation || !value.includes('%')) return value;
    if (depth > MAX_INTERPOLATIONS)
      throw new TemplateError('values of the INI file refer to each other without end');
    return value.replace(/%(?:%|\(([^)]+)\)s|)/g, (whole, name: string | undefined) => {
      if (whole === '%%') return '%';
      const other = name === undefined ? undefined : members.get(this.#key(name));
      if (other === undefined)
        throw new TemplateError(`"${value}" of the INI file refers to a value that is missing`);
      return this.#filled(other, members, depth + 1);
    });
  }
}
