import type { Inventory } from '../../engine/inventory/inventory.ts';
import type { Group } from '../../engine/inventory/model.ts';
import { dumpJson } from '../../engine/jinja/json.ts';
import type { Dict, Value } from '../../engine/values.ts';
import { asData } from './inventory-data.ts';

export interface ListOptions {
  /** Only these hosts. */
  readonly hosts?: readonly string[] | undefined;
  /** Whether variables stay with the group or host that has them, instead of being merged for each host. */
  readonly isExport?: boolean | undefined;
  /** Whether an export has what stands beside the playbook. */
  readonly withPlaybook?: boolean;
}

/** The inventory as an inventory script would print it: groups, and the variables of hosts under `_meta`. */
export function renderInventoryList(inventory: Inventory, options: ListOptions = {}): string {
  const shown = new Set(options.hosts ?? inventory.hosts);
  const groups = groupsBelow(inventory.graph.group('all')).map(
    (group) => [group.name, describe(inventory, group, shown, options)] as const,
  );
  const variables = [...shown].map(
    (host) => [host, hostVariables(inventory, host, options)] as const,
  );
  const hostvars = new Map(variables.filter(([, vars]) => vars.size > 0));
  const meta = new Map<string, Value>([
    ['hostvars', hostvars],
    ['profile', 'inventory_legacy'],
  ]);
  return renderJson(
    new Map<string, Value>([['_meta', meta], ...groups.filter(([, { size }]) => size > 0)]),
  );
}

/** The variables of one host. */
export function renderHostVariables(inventory: Inventory, host: string): string {
  return renderJson(inventory.hostVars(host));
}

function renderJson(value: Dict): string {
  return `${dumpJson(asData(value), { indent: 4, sortKeys: true, asciiOnly: false })}\n`;
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
  if (vars.size > 0) members.push(['vars', vars]);
  return new Map(members);
}

function hostVariables(
  inventory: Inventory,
  host: string,
  { isExport = false, withPlaybook = true }: ListOptions,
): Dict {
  return isExport ? inventory.ownVars(host, { withPlaybook }) : inventory.hostVars(host);
}

function groupsBelow(group: Group, seen = new Set<Group>()): Group[] {
  if (seen.has(group)) return [];
  seen.add(group);
  return [group, ...[...group.children].flatMap((child) => groupsBelow(child, seen))];
}
