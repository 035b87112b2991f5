/** Whether a play has anything to run on. */
import type { InventoryPort } from '../inventory/inventory-port.ts';
import { FREE_FORM } from '../playbook/action.ts';
import type { Play } from '../playbook/model.ts';
import { textOf } from '../playbook/source.ts';
import { isTemplated } from './templates-in.ts';
import type { Tour, Visit } from './tour.ts';

interface Where {
  readonly inventory: InventoryPort | undefined;
  readonly limit: string | undefined;
  /** Whether earlier tasks may make hosts and groups: then patterns may match what is not there yet. */
  readonly mayGrow: boolean;
}

/** True as well where nobody can tell: without an inventory, and where a template names the hosts. */
export function hasHosts({ hosts }: Play, { inventory, limit, mayGrow }: Where): boolean {
  if (inventory === undefined || isTemplated(hosts) || isEmpty(inventory)) return true;
  const unmatched = mayGrow ? 'ignore' : 'tell';
  const select = (pattern: string) => inventory.select(pattern, unmatched);
  const pattern = (Array.isArray(hosts) ? hosts : [hosts]).map(String).join(',');
  const selected = select(pattern);
  if (limit === undefined) return selected.length > 0;
  const within = new Set(select(limit));
  return selected.some((host) => within.has(host));
}

/** Whether a task that was gone through may make hosts or groups, or one that nobody has read. */
export function mayGrow({ visits, unread }: Tour): boolean {
  return unread.length > 0 || visits.some(makesHosts);
}

const MAKERS: ReadonlySet<string> = new Set(['add_host', 'group_by', '']);

function makesHosts({ task }: Visit): boolean {
  if (task.module === 'meta') return textOf(task.args.get(FREE_FORM)) === 'refresh_inventory';
  return MAKERS.has(task.module);
}

function isEmpty(inventory: InventoryPort): boolean {
  return (inventory.groups().get('all') ?? []).length === 0;
}
