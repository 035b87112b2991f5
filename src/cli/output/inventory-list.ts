import type { Inventory } from '../../engine/inventory/inventory.ts';
import type { Group } from '../../engine/inventory/model.ts';
import { dumpJson } from '../../engine/jinja/json.ts';
import { dumpYaml } from '../../engine/jinja/yaml-dump.ts';
import type { Dict, Value } from '../../engine/values.ts';
import { asData, HOST_MARKS, JSON_MARKS, YAML_MARKS } from './inventory-data.ts';

export interface ListOptions {
  /** Only these hosts. */
  readonly hosts?: readonly string[] | undefined;
  /** Whether variables stay with the group or host that has them, instead of being merged for each host. */
  readonly isExport?: boolean | undefined;
  /** Whether an export has what stands beside the playbook. */
  readonly withPlaybook?: boolean;
  /** Whether it is printed as an inventory in YAML instead, in which each host has its variables where it first stands. */
  readonly isYaml?: boolean | undefined;
  /** Variables of the command line, which beat those of a host; an export leaves them out. */
  readonly extraVars?: Dict;
}

/** The inventory as an inventory script would print it: groups, and the variables of hosts under `_meta`. */
export function renderInventoryList(inventory: Inventory, options: ListOptions = {}): string {
  const shown = new Set(options.hosts ?? inventory.hosts);
  if (options.isYaml === true) return renderYaml(new Tree(inventory, shown, options).all());
  const groups = groupsBelow(inventory.graph.group('all')).map(
    (group) => [group.name, describe(inventory, group, shown, options)] as const,
  );
  const variables = [...shown].map(
    (host) => [host, hostVariables(inventory, host, options)] as const,
  );
  const hostvars = asData(new Map(variables.filter(([, vars]) => vars.size > 0)), JSON_MARKS);
  const meta = new Map<string, Value>([
    ['hostvars', hostvars],
    ['profile', 'inventory_legacy'],
  ]);
  return renderJson(
    new Map<string, Value>([['_meta', meta], ...groups.filter(([, { size }]) => size > 0)]),
  );
}

/** The variables of one host. */
export function renderHostVariables(
  inventory: Inventory,
  host: string,
  { isYaml = false, ...options }: Pick<ListOptions, 'isYaml' | 'extraVars'> = {},
): string {
  const variables = hostVariables(inventory, host, options);
  return isYaml ? renderYaml(variables) : renderJson(asData(variables, HOST_MARKS));
}

function renderYaml(value: Dict): string {
  return dumpYaml(asData(value, YAML_MARKS), { flowStyle: false, showsVaults: true });
}

function renderJson(value: Value): string {
  return `${dumpJson(value, { indent: 4, sortKeys: true, asciiOnly: false })}\n`;
}

function describe(
  inventory: Inventory,
  group: Group,
  shown: ReadonlySet<string>,
  { isExport = false, withPlaybook = true }: ListOptions,
): ReadonlyMap<string, Value> {
  const hosts = [...group.hosts].map(({ name }) => name).filter((name) => shown.has(name));
  const children = [...group.children].map(({ name }) => name);
  const vars = isExport ? inventory.groupVars(group.name, { withPlaybook }) : new Map();
  const members: [string, Value][] = [];
  if (children.length > 0) members.push(['children', children]);
  if (hosts.length > 0 && group.name !== 'all') members.push(['hosts', hosts]);
  if (vars.size > 0) members.push(['vars', asData(vars, JSON_MARKS)]);
  return new Map(members);
}

function hostVariables(
  inventory: Inventory,
  host: string,
  { isExport = false, withPlaybook = true, extraVars = new Map() }: ListOptions,
): Dict {
  if (isExport) return inventory.ownVars(host, { withPlaybook });
  return new Map([...inventory.hostVars(host), ...extraVars]);
}

/** Groups inside groups, as an inventory in YAML has them. */
class Tree {
  readonly #inventory: Inventory;
  readonly #shown: ReadonlySet<string>;
  readonly #options: ListOptions;
  readonly #seen = new Set<string>();

  constructor(inventory: Inventory, shown: ReadonlySet<string>, options: ListOptions) {
    this.#inventory = inventory;
    this.#shown = shown;
    this.#options = options;
  }

  all(): Dict {
    const all = this.#describe(this.#inventory.graph.group('all'));
    return new Map(all.size > 0 ? [['all', all]] : []);
  }

  /** Groups that hold nothing are left out; one that was described before is only named. */
  #describe(group: Group): Dict {
    const { isExport = false, withPlaybook = true } = this.#options;
    const hosts = group.name === 'all' ? [] : [...group.hosts].map(({ name }) => name);
    const vars = isExport ? this.#inventory.groupVars(group.name, { withPlaybook }) : new Map();
    const members: readonly (readonly [string, Dict])[] = [
      ['children', new Map([...group.children].flatMap((child) => this.#child(child)))],
      [
        'hosts',
        new Map(hosts.filter((name) => this.#shown.has(name)).map((name) => this.#host(name))),
      ],
      ['vars', vars],
    ];
    return new Map(members.filter(([, { size }]) => size > 0));
  }

  #child(group: Group): [string, Dict][] {
    if (this.#isNew(`@${group.name}`)) {
      const described = this.#describe(group);
      return described.size > 0 ? [[group.name, described]] : [];
    }
    return [[group.name, new Map()]];
  }

  #host(name: string): [string, Dict] {
    return [
      name,
      this.#isNew(name) ? hostVariables(this.#inventory, name, this.#options) : new Map(),
    ];
  }

  #isNew(name: string): boolean {
    const isNew = !this.#seen.has(name);
    this.#seen.add(name);
    return isNew;
  }
}

function groupsBelow(group: Group, seen = new Set<Group>()): Group[] {
  if (seen.has(group)) return [];
  seen.add(group);
  return [group, ...[...group.children].flatMap((child) => groupsBelow(child, seen))];
}
