import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import {
  Jinja,
  type JinjaHost,
  type Scope,
  TemplateError,
} from '../../../src/engine/jinja/jinja.ts';
import { dumpJson, parseJson } from '../../../src/engine/jinja/json.ts';
import { ownText } from '../../../src/engine/own-text.ts';
import { hasTemplate, TrustedTemplate, type Value } from '../../../src/engine/values.ts';

type List = readonly Value[];
type Table = ReadonlyMap<Value, Value>;

/** Every case kind with what one answer looks like. */
export interface Case {
  readonly title: string;
  readonly expected: string;
  actual(): string;
}

/** What the YAML loader makes of trusted text: templates wherever there are braces, keys excepted. */
export function asPlaybookData(value: Value): Value {
  if (typeof value === 'string')
    return hasTemplate(value) ? new TrustedTemplate(value) : ownText(value);
  if (Array.isArray(value)) return (value as List).map(asPlaybookData);
  if (!(value instanceof Map)) return value;
  return new Map([...(value as Table)].map(([key, item]) => [key, asPlaybookData(item)]));
}

const GROUPS: readonly (readonly [string, readonly string[]])[] = [
  ['all', ['ctl', 'h1', 'h2']],
  ['ungrouped', ['ctl']],
  ['web', ['h1', 'h2']],
];

function hostVariables(name: string): Map<Value, Value> {
  const groups = GROUPS.filter(([group, hosts]) => group !== 'all' && hosts.includes(name));
  const variables = new Map<Value, Value>([
    ['inventory_hostname', name],
    ['group_names', groups.map(([group]) => group)],
  ]);
  if (name !== 'ctl') variables.set('ip', `10.0.0.${name.slice(1)}`);
  return variables;
}

function variables(given: Table): Map<string, Value> {
  const context = [...given].map(([key, value]) => [String(key), asPlaybookData(value)] as const);
  return new Map<string, Value>([
    ...context,
    ['hostvars', new Map(['ctl', 'h1', 'h2'].map((name) => [name, hostVariables(name)]))],
    ['groups', new Map(GROUPS.map(([name, hosts]) => [name, hosts]))],
    ['inventory_hostname', 'ctl'],
    ['ansible_play_hosts', ['ctl']],
    ['ansible_play_hosts_all', ['ctl']],
    ['ansible_connection', 'local'],
    ['ansible_check_mode', false],
    ['ansible_diff_mode', false],
    ['ansible_skip_tags', []],
    ['ansible_verbosity', 0],
    ['ansible_managed', 'Ansible managed'],
  ]);
}

function matchHosts(pattern: string): readonly string[] {
  const groups = new Map(GROUPS);
  const named = (name: string) =>
    groups.get(name) ?? (groups.get('all')?.includes(name) ? [name] : []);
  const [first = '', ...rest] = pattern.split(':');
  return rest.reduce<readonly string[]>((hosts, part) => {
    const others = named(part.slice(1));
    return hosts.filter((host) => others.includes(host) === part.startsWith('&'));
  }, named(first));
}

/** The oracle's files in a directory of their own, and an evaluator that sees them. */
export class OracleRun {
  readonly directory = mkdtempSync(join(tmpdir(), 'jinja-oracle-'));
  readonly jinja: Jinja;
  readonly host: JinjaHost = {
    searchPath: [this.directory],
    inventoryHostnames: matchHosts,
    setting: (name) => (name === 'DEFAULT_FORKS' ? { value: 5, origin: 'default' } : undefined),
  };
  readonly #oracle: Table;
  readonly #variables: ReadonlyMap<string, Value>;
  readonly scope: Scope = {
    get: (name) => this.#variables.get(name),
    names: () => this.#variables.keys(),
  };

  /** The recorded answers of ansible-core; how they were made is told where the file comes from. */
  constructor(file = new URL('oracle.json', import.meta.url), collections = false) {
    this.jinja = new Jinja({ collections });
    this.#oracle = parseJson(readFileSync(file, 'utf8')) as Table; // The file is an object.
    this.#variables = variables(this.#table('ctx')).set('playbook_dir', this.directory);
    for (const [name, text] of this.#table('files')) {
      const path = join(this.directory, String(name));
      mkdirSync(dirname(path), { recursive: true });
      writeFileSync(path, String(text));
    }
  }

  #table(key: string): Table {
    return (this.#oracle.get(key) ?? new Map()) as Table; // As the file is made.
  }

  #cases(kind: string): readonly (readonly [Value, Table])[] {
    // Each case is a pair of what is evaluated and an object with its answer.
    return (this.#oracle.get(kind) ?? []) as unknown as readonly (readonly [Value, Table])[];
  }

  remove(): void {
    rmSync(this.directory, { recursive: true });
  }

  expressions(): readonly Case[] {
    return this.#cases('exprs').map(([expression, answer]) => {
      const text = `{{ {'v': (${String(expression)})} | to_json }}`;
      return this.#case(String(expression), answer, () => {
        const value = this.jinja.renderValue(new TrustedTemplate(text), this.scope, this.host);
        return dumpJson((parseJson(String(value)) as Table).get('v') ?? null);
      });
    });
  }

  templates(): readonly Case[] {
    return this.#cases('tmpls').map(([text, answer], index) =>
      this.#case(String(text), answer, () => {
        const options = { file: join(this.directory, `t${index}.j2`) };
        return dumpJson(
          this.jinja.renderTemplateFile(String(text), options, this.scope, this.host),
        );
      }),
    );
  }

  conditions(): readonly Case[] {
    return this.#cases('conds').map(([condition, answer]) => ({
      title: dumpJson(condition),
      expected: String(answer.get('s')),
      actual: () => attempt(() => this.#condition(condition), 'failed'),
    }));
  }

  #condition(condition: Value): string {
    const { result } = this.jinja.condition(asPlaybookData(condition), this.scope, this.host);
    return result ? 'true' : 'skipped';
  }

  args(): readonly Case[] {
    return this.#cases('args').map(([argument, answer]) =>
      this.#case(dumpJson(argument), answer, () => {
        const value = this.jinja.renderValue(asPlaybookData(argument), this.scope, this.host);
        // The debug module prints this where its msg is omitted.
        return dumpJson(
          typeof value === 'object' && value?.constructor.name === 'Omit' ? 'Hello world!' : value,
        );
      }),
    );
  }

  #case(title: string, answer: Table, run: () => string): Case {
    const expected = answer.has('e') ? 'error' : dumpJson(answer.get('v') ?? null);
    return { title, expected, actual: () => attempt(run, 'error') };
  }
}

function attempt(run: () => string, failed: string): string {
  try {
    return run();
  } catch (error) {
    if (error instanceof TemplateError) return failed;
    throw error;
  }
}
