import type { Value } from '../values.ts';

/** Gives variables when they are asked for. Values may be or contain templates, which are rendered on use with the same scope. */
export interface Scope<V = Value> {
  /** The variable's value, or undefined where there is none of that name. */
  get(name: string): V | undefined;
  /** The names of all variables: for `vars`, the varnames lookup and "did you mean". */
  names(): Iterable<string>;
}

/** A template file as a task names it. */
export interface TemplateName {
  readonly file: string;
  /** The path as it is written; that of the file unless given. */
  readonly name?: string | undefined;
  /** Where the text goes; undefined where it goes nowhere. */
  readonly destination?: string | undefined;
}

/** A setting's value and where it comes from: `default`, `env: NAME` or a file. */
export interface SettingFound {
  readonly value: Value;
  readonly origin: string;
}

/** What the world outside offers an evaluation. */
export interface JinjaHost {
  /** Directories in which lookups and includes search, each with its files/, templates/ and vars/ first. */
  readonly searchPath: readonly string[];
  /** Opens a vaulted file's text. Without it such files are used as they are. */
  readonly decryptFile?: ((text: string) => Buffer | string) | undefined;
  /** Whether everything that depends on more than variables throws NotSpeculable. */
  readonly speculative?: boolean | undefined;
  /** Where files of the current action live (`files`, `templates`, `vars`): first_found looks there first. */
  readonly actionSubdirectory?: string | undefined;
  /** The names of the hosts that match a pattern of the inventory. */
  readonly inventoryHostnames?: ((pattern: string) => readonly string[]) | undefined;
  /** Ansible's configuration settings for the config lookup. */
  readonly setting?: ((name: string) => SettingFound | undefined) | undefined;
}
