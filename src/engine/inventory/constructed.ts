import { InvalidInput, type Problem } from '../../shared/errors.ts';
import { isDict, type Position, type Value } from '../values.ts';
import { toValue, type YamlMap, type YamlNode } from '../yaml-node.ts';
import { type Graph, GroupCycle, groupsAbove, type Host, type Report } from './model.ts';
import type { Variables } from './vars-files.ts';

/** Evaluates a Jinja expression with variables. Throws where it cannot, e.g. on an undefined name. */
export type Evaluate = (expression: string, variables: Variables) => Value;

interface KeyedGroup {
  readonly key: string;
  readonly prefix: string;
  readonly separator: string;
  readonly parent: string | undefined;
  readonly fallback: string | undefined;
  readonly trailingSeparator: boolean;
  readonly place: Position;
}

interface Construction {
  readonly strict: boolean;
  readonly leadingSeparator: boolean;
  readonly usesExtraVars: boolean;
  readonly compose: readonly Expression[];
  readonly groups: readonly Expression[];
  readonly keyedGroups: readonly KeyedGroup[];
}

interface Expression {
  readonly name: string;
  readonly source: string;
  readonly place: Position;
}

/** What constructed inventories are made with. */
export interface ConstructionTools {
  readonly evaluate: Evaluate;
  /** Variables of the command line: `compose` and `keyed_groups` of an inventory that uses them see them, `groups` does not. */
  readonly extraVars: Variables;
  /** Whether an inventory that does not say so uses them. */
  readonly usesExtraVars: boolean;
}

/** The plugin that a YAML inventory names, where it is no list of groups. */
export function pluginOf(root: YamlNode): string | undefined {
  const plugin = root.kind === 'map' ? member(root, 'plugin') : undefined;
  return plugin?.kind === 'scalar' && typeof plugin.value === 'string' ? plugin.value : undefined;
}

/**
 * Adds variables and groups that are computed from what earlier sources say: `compose`, `groups` and
 * `keyed_groups` of the constructed plugin. Throws InvalidInput for options that are malformed.
 */
export function applyConstructed(
  root: YamlMap,
  graph: Graph,
  tools: ConstructionTools,
  report: Report,
): void {
  const builder = new Builder(parseConstruction(root, tools), graph, tools, report);
  graph.settle();
  for (const host of [...graph.hosts.values()]) builder.host(host);
}

class Builder {
  readonly #construction: Construction;
  readonly #graph: Graph;
  readonly #tools: ConstructionTools;
  readonly #report: Report;

  constructor(construction: Construction, graph: Graph, tools: ConstructionTools, report: Report) {
    this.#construction = construction;
    this.#graph = graph;
    this.#tools = tools;
    this.#report = report;
  }

  host(host: Host): void {
    const { compose, groups, keyedGroups, usesExtraVars } = this.#construction;
    const extraVars = usesExtraVars ? this.#tools.extraVars : undefined;
    for (const each of compose) {
      const value = this.#value(each.source, each.place, host, extraVars);
      if (value !== undefined) host.vars.set(each.name, value);
    }
    for (const each of groups) {
      const value = this.#value(each.source, each.place, host);
      if (isTrue(value)) this.#graph.join(safeName(each.name), host.name);
    }
    for (const each of keyedGroups) this.#keyed(each, host, extraVars);
  }

  #keyed(keyed: KeyedGroup, host: Host, extraVars: Variables | undefined): void {
    const key = this.#value(keyed.key, keyed.place, host, extraVars);
    if (key === undefined) return;
    const { leadingSeparator } = this.#construction;
    for (const suffix of suffixesOf(key, keyed)) {
      const separator = keyed.prefix === '' && !leadingSeparator ? '' : keyed.separator;
      const group = safeName(keyed.prefix + (suffix === '' ? '' : separator + suffix));
      this.#graph.join(group, host.name);
      if (keyed.parent !== undefined) this.#link(safeName(keyed.parent), group, keyed.place);
    }
  }

  #link(parent: string, child: string, place: Position): void {
    try {
      this.#graph.link(parent, child);
    } catch (error) {
      if (!(error instanceof GroupCycle)) throw error;
      this.#report.problem(place, error.message);
    }
  }

  /** Unless `strict`, an expression that cannot be evaluated for a host is as if it were not there. */
  #value(
    source: string,
    place: Position,
    host: Host,
    extraVars: Variables = new Map(),
  ): Value | undefined {
    try {
      const variables = new Map([...this.#variables(host), ...extraVars]);
      return this.#tools.evaluate(source, variables);
    } catch (error) {
      const reason = error instanceof Error ? error.message : String(error);
      const message = `"${source}" cannot be evaluated for the host ${host.name}: ${reason}`;
      if (this.#construction.strict)
        this.#report.problem(place, message, 'strict: false passes over such hosts');
      return undefined;
    }
  }

  #variables(host: Host): Variables {
    const groups = this.#graph.inMergeOrder(groupsAbove(host));
    const names = groups.map(({ name }) => name).filter((name) => name !== 'all');
    return new Map<string, Value>([
      ...groups.flatMap(({ vars }) => [...vars]),
      ...host.vars,
      ['inventory_hostname', host.name],
      ['inventory_hostname_short', host.name.split('.')[0] ?? host.name],
      ['group_names', names.sort()],
    ]);
  }
}

function suffixesOf(key: Value, { separator, fallback, trailingSeparator }: KeyedGroup): string[] {
  if (isDict(key)) {
    return [...key].map(([name, value]) => {
      const text = textOf(value);
      if (text !== '') return `${textOf(name)}${separator}${text}`;
      return fallback === undefined
        ? `${textOf(name)}${trailingSeparator ? separator : ''}`
        : `${textOf(name)}${separator}${fallback}`;
    });
  }
  const keys = Array.isArray(key) ? key : [key];
  return keys.map(textOf).flatMap((text) => (text === '' ? (fallback ?? []) : text));
}

function textOf(value: Value): string {
  if (value === null) return '';
  if (typeof value === 'boolean') return value ? 'True' : 'False';
  return typeof value === 'object' && 'text' in value ? String(value.text) : String(value);
}

/** The name of a made group: whatever cannot stand in a variable's name becomes an underscore. */
function safeName(name: string): string {
  return name.replace(/^[\d\W]|[^\w]/g, '_');
}

function isTrue(value: Value | undefined): boolean {
  if (value === undefined || value === null || value === false || value === '' || value === 0)
    return false;
  if (Array.isArray(value)) return value.length > 0;
  return isDict(value) ? value.size > 0 : true;
}

function parseConstruction(root: YamlMap, { usesExtraVars }: ConstructionTools): Construction {
  const keyed = member(root, 'keyed_groups');
  const problems: Problem[] = [];
  const construction = {
    strict: flag(root, 'strict', false),
    usesExtraVars: flag(root, 'use_extra_vars', usesExtraVars),
    leadingSeparator: flag(root, 'leading_separator', true),
    compose: expressionsOf(member(root, 'compose'), problems),
    groups: expressionsOf(member(root, 'groups'), problems),
    keyedGroups:
      keyed?.kind === 'list' ? keyed.items.flatMap((item) => keyedGroup(item, problems)) : [],
  };
  if (problems.length > 0) throw new InvalidInput(problems);
  return construction;
}

function expressionsOf(node: YamlNode | undefined, problems: Problem[]): Expression[] {
  if (node === undefined || (node.kind === 'scalar' && node.value === null)) return [];
  if (node.kind !== 'map') {
    problems.push({
      place: node.position,
      message: 'this is not a mapping of names to expressions',
    });
    return [];
  }
  return node.entries.map(({ key, node: value }) => ({
    name: String(key),
    source: textOf(toValue(value)),
    place: value.position,
  }));
}

function keyedGroup(node: YamlNode, problems: Problem[]): KeyedGroup[] {
  const option = (name: string) =>
    node.kind === 'map' ? scalarText(member(node, name)) : undefined;
  const key = option('key');
  if (key === undefined || node.kind !== 'map') {
    problems.push({
      place: node.position,
      message: 'a keyed group has no key',
      hint: 'add key: EXPRESSION',
    });
    return [];
  }
  return [
    {
      key,
      prefix: option('prefix') ?? '',
      separator: option('separator') ?? '_',
      parent: option('parent_group'),
      fallback: option('default_value'),
      trailingSeparator: flag(node, 'trailing_separator', true),
      place: node.position,
    },
  ];
}

function member(map: YamlMap, key: string): YamlNode | undefined {
  return map.entries.find((entry) => entry.key === key)?.node;
}

function scalarText(node: YamlNode | undefined): string | undefined {
  return node?.kind === 'scalar' && node.value !== null ? textOf(node.value) : undefined;
}

function flag(map: YamlMap, key: string, otherwise: boolean): boolean {
  const node = member(map, key);
  return node?.kind === 'scalar' && typeof node.value === 'boolean' ? node.value : otherwise;
}
