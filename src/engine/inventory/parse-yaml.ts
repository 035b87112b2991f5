import type { Position, Value } from '../values.ts';
import { toValue, type YamlEntry, type YamlMap, type YamlNode } from '../yaml-node.ts';
import { expandHostName } from './host-range.ts';
import { type Graph, GroupCycle, type Report, setGroupVariable } from './model.ts';

/** In the order in which they are read: a later one has the last word on a host's variables. */
const SECTIONS = ['vars', 'children', 'hosts'] as const;

/** Reads a YAML inventory into a graph. What is wrong with it goes to the report, every place of it. */
export function parseYamlInventory(root: YamlNode, graph: Graph, report: Report): void {
  if (root.kind !== 'map') {
    const hint = 'write groups, each with hosts, vars or children';
    report.problem(root.position, 'a YAML inventory is a mapping of groups', hint);
    return;
  }
  const reader = new YamlReader(graph, report);
  for (const entry of root.entries) reader.group(entry);
}

class YamlReader {
  readonly #graph: Graph;
  readonly #report: Report;

  constructor(graph: Graph, report: Report) {
    this.#graph = graph;
    this.#report = report;
  }

  group({ key, keyPosition, node }: YamlEntry, parent?: string): void {
    const name = String(key);
    this.#graph.group(name);
    if (parent !== undefined) this.#link(parent, name, keyPosition);
    if (isNull(node)) return;
    if (node.kind !== 'map') {
      this.#report.problem(
        node.position,
        `the group "${name}" is not a mapping`,
        'give it hosts, vars or children',
      );
      return;
    }
    for (const section of SECTIONS) this.#section(name, section, entryOf(node, section));
    for (const entry of node.entries) this.#checkKey(name, entry);
  }

  #checkKey(group: string, { key, keyPosition }: YamlEntry): void {
    if (SECTIONS.some((section) => section === key)) return;
    const message = `the key "${String(key)}" of the group "${group}" is ignored`;
    this.#report.warning(keyPosition, message, 'a group has hosts, vars and children');
  }

  #section(group: string, section: (typeof SECTIONS)[number], found: YamlEntry | undefined): void {
    if (found === undefined) return;
    for (const entry of this.#entriesOf(found.node, `the ${section} of the group "${group}"`)) {
      if (section === 'children') this.group(entry, group);
      else if (section === 'vars') this.#variable(group, entry);
      else this.#hosts(group, entry);
    }
  }

  /** The entries of a section; one word alone is a key without a value. */
  #entriesOf(node: YamlNode, what: string): readonly YamlEntry[] {
    if (node.kind === 'map') return node.entries;
    if (isNull(node)) return [];
    if (node.kind === 'scalar' && typeof node.value === 'string') {
      const nothing = { kind: 'scalar', value: null, position: node.position } as const;
      return [{ key: node.value, keyPosition: node.position, node: nothing }];
    }
    this.#report.problem(
      node.position,
      `${what} are not a mapping`,
      'write "name:" for each, without a dash',
    );
    return [];
  }

  #variable(group: string, { key, node }: YamlEntry): void {
    this.#attempt(node.position, () =>
      setGroupVariable(this.#graph.group(group), String(key), toValue(node)),
    );
  }

  #hosts(group: string, { key, keyPosition, node }: YamlEntry): void {
    const vars = this.#hostVars(String(key), node);
    this.#attempt(keyPosition, () => {
      const { names, port } = expandHostName(String(key));
      for (const name of names) {
        this.#graph.join(group, name);
        const host = this.#graph.host(name);
        if (port !== undefined) host.vars.set('ansible_port', port);
        for (const [variable, value] of vars) host.vars.set(variable, value);
      }
    });
  }

  #hostVars(name: string, node: YamlNode): [string, Value][] {
    if (isNull(node)) return [];
    if (node.kind === 'map')
      return node.entries.map((entry) => [String(entry.key), toValue(entry.node)]);
    this.#report.problem(
      node.position,
      `the variables of the host "${name}" are not a mapping`,
      'write name: value lines',
    );
    return [];
  }

  #link(parent: string, child: string, place: Position): void {
    try {
      this.#graph.link(parent, child);
    } catch (error) {
      if (!(error instanceof GroupCycle)) throw error;
      this.#report.problem(place, error.message);
    }
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

function isNull(node: YamlNode): boolean {
  return node.kind === 'scalar' && node.value === null;
}

function entryOf({ entries }: YamlMap, key: string): YamlEntry | undefined {
  return entries.find((entry) => entry.key === key);
}
