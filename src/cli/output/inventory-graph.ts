import type { Inventory } from '../../engine/inventory/inventory.ts';
import { compare, type Group } from '../../engine/inventory/model.ts';
import { printed } from '../../engine/jinja/output.ts';
import type { Dict } from '../../engine/values.ts';
import { asData, HOST_MARKS } from './inventory-data.ts';

export interface GraphOptions {
  /** The group to start from. */
  readonly group: string;
  readonly showsVars?: boolean | undefined;
  /** Whether the variables of groups have what stands beside the playbook. */
  readonly withPlaybook?: boolean;
  /** Variables of the command line, which beat those of a host. */
  readonly extraVars?: Dict;
}

/** Groups and hosts as a tree of lines. */
export function renderInventoryGraph(inventory: Inventory, options: GraphOptions): string {
  const group = inventory.graph.groups.get(options.group);
  if (group === undefined) return '';
  const printer = new TreePrinter(inventory, options);
  printer.group(group, 0);
  return `${printer.lines.join('\n')}\n`;
}

class TreePrinter {
  readonly lines: string[] = [];
  readonly #inventory: Inventory;
  readonly #showsVars: boolean;
  readonly #withPlaybook: boolean;
  readonly #extraVars: Dict;

  constructor(
    inventory: Inventory,
    { showsVars = false, withPlaybook = true, extraVars = new Map() }: GraphOptions,
  ) {
    this.#inventory = inventory;
    this.#showsVars = showsVars;
    this.#withPlaybook = withPlaybook;
    this.#extraVars = extraVars;
  }

  group(group: Group, depth: number): void {
    this.#add(`@${group.name}:`, depth);
    for (const child of group.children) this.group(child, depth + 1);
    if (group.name !== 'all') {
      for (const { name } of group.hosts) this.#host(name, depth + 1);
    }
    this.#vars(
      this.#inventory.groupVars(group.name, { withPlaybook: this.#withPlaybook }),
      depth + 1,
    );
  }

  #host(name: string, depth: number): void {
    this.#add(name, depth);
    this.#vars(new Map([...this.#inventory.hostVars(name), ...this.#extraVars]), depth + 1);
  }

  #vars(vars: Dict, depth: number): void {
    if (!this.#showsVars) return;
    for (const [name, value] of [...vars].sort(([a], [b]) => compare(a, b)))
      this.#add(`{${name} = ${printed(asData(value, HOST_MARKS))}}`, depth);
  }

  #add(text: string, depth: number): void {
    this.lines.push(depth === 0 ? text : `${'  |'.repeat(depth)}--${text}`);
  }
}
