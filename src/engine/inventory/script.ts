import { spawnSync } from 'node:child_process';
import { dirname } from 'node:path';
import { InvalidInput } from '../../shared/errors.ts';
import { isDict, type Position, type Value } from '../values.ts';
import { parseYaml } from '../yaml.ts';
import { toValue } from '../yaml-node.ts';
import { type Graph, GroupCycle, type Report, setGroupVariable } from './model.ts';

const MAX_OUTPUT_BYTES = 256 * 1024 * 1024;

/**
 * Runs an inventory script with `--list` and reads its JSON into a graph; where it gives no `_meta`, once more
 * with `--host` for each host. Throws InvalidInput when it fails or prints no JSON.
 */
export function readScriptInventory(path: string, graph: Graph, report: Report): void {
  const place = { file: path, line: 1, column: 1 };
  const groups = asDict(runScript(path, ['--list']), place, 'the output of the script');
  const reader = new ScriptReader(graph, report, place);
  const meta = groups.get('_meta');
  for (const [name, data] of groups) if (name !== '_meta') reader.group(String(name), data);
  if (isDict(meta) && isDict(meta.get('hostvars')))
    reader.hostVariables(meta.get('hostvars') ?? null);
  else {
    for (const host of reader.hosts) reader.variablesOf(host, runScript(path, ['--host', host]));
  }
}

class ScriptReader {
  readonly hosts = new Set<string>();
  readonly #graph: Graph;
  readonly #report: Report;
  readonly #place: Position;

  constructor(graph: Graph, report: Report, place: Position) {
    this.#graph = graph;
    this.#report = report;
    this.#place = place;
  }

  group(name: string, data: Value): void {
    this.#graph.group(name);
    if (Array.isArray(data)) this.#join(name, data);
    else this.#mapping(name, data);
  }

  #mapping(name: string, data: Value): void {
    const group = asDict(data, this.#place, `the group "${name}"`);
    const isShort = !['hosts', 'vars', 'children'].some((key) => group.has(key));
    if (isShort && group.size > 0) this.#soleHost(name, group);
    this.#join(name, asList(group.get('hosts'), this.#place, `the hosts of the group "${name}"`));
    this.#variables(name, group.get('vars'));
    for (const child of asList(
      group.get('children'),
      this.#place,
      `the children of the group "${name}"`,
    )) {
      this.#link(name, String(child));
    }
  }

  hostVariables(hosts: Value): void {
    for (const [host, variables] of asDict(hosts, this.#place, '_meta.hostvars')) {
      if (this.#graph.hosts.has(String(host))) this.variablesOf(String(host), variables);
    }
  }

  variablesOf(name: string, variables: Value): void {
    const { vars } = this.#graph.host(name);
    for (const [key, value] of asDict(
      variables,
      this.#place,
      `the variables of the host "${name}"`,
    )) {
      vars.set(String(key), value);
    }
  }

  /** An old form: a group that is a mapping of variables is itself its only host. */
  #soleHost(name: string, variables: Value): void {
    this.#join(name, [name]);
    this.#variables(name, variables);
  }

  #join(group: string, hosts: readonly Value[]): void {
    for (const host of hosts) {
      this.#graph.join(group, String(host));
      this.hosts.add(String(host));
    }
  }

  #variables(name: string, variables: Value | undefined): void {
    const group = this.#graph.group(name);
    for (const [key, value] of asDict(
      variables ?? new Map(),
      this.#place,
      `the vars of the group "${name}"`,
    )) {
      try {
        setGroupVariable(group, String(key), value);
      } catch (error) {
        if (!(error instanceof RangeError)) throw error;
        this.#report.problem(this.#place, error.message);
      }
    }
  }

  #link(parent: string, child: string): void {
    try {
      this.#graph.link(parent, child);
    } catch (error) {
      if (!(error instanceof GroupCycle)) throw error;
      this.#report.problem(this.#place, error.message);
    }
  }
}

/** What a script printed. It is the user's own, so that templates in it are rendered. */
function runScript(path: string, args: readonly string[]): Value {
  const place = { file: path, line: 1, column: 1 };
  const { error, status, stdout } = spawnSync(path, args, {
    cwd: dirname(path),
    encoding: 'utf8',
    maxBuffer: MAX_OUTPUT_BYTES,
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  if (error !== undefined) {
    throw InvalidInput.at(
      place,
      `the inventory script cannot be run: ${error.message}`,
      `chmod +x ${path}`,
    );
  }
  if (status !== 0)
    throw InvalidInput.at(place, `the inventory script ended with status ${status}`);
  if (stdout.trim() === '') return new Map();
  return toValue(
    parseYaml(stdout, { file: `the output of ${path} ${args.join(' ')}`, trusted: true }).root,
  );
}

function asDict(value: Value, place: Position, what: string): ReadonlyMap<Value, Value> {
  if (isDict(value)) return value;
  if (value === null) return new Map();
  throw InvalidInput.at(place, `${what} is not a mapping`);
}

function asList(value: Value | undefined, place: Position, what: string): readonly Value[] {
  if (Array.isArray(value)) return value;
  if (value === undefined || value === null) return [];
  throw InvalidInput.at(place, `${what} are not a list`);
}
