/** Whether a play has anything to run on. */
import type { InventoryPort } from '../inventory/inventory-port.ts';
import type { Play } from '../playbook/model.ts';
import { isTemplated } from './templates-in.ts';

/** True as well where nobody can tell: without an inventory, and where a template names the hosts. */
export function hasHosts(
  { hosts }: Play,
  inventory: InventoryPort | undefined,
  limit: string | undefined,
): boolean {
  if (inventory === undefined || isTemplated(hosts) || isEmpty(inventory)) return true;
  const pattern = (Array.isArray(hosts) ? hosts : [hosts]).map(String).join(',');
  const selected = inventory.select(pattern);
  if (limit === undefined) return selected.length > 0;
  const within = new Set(inventory.select(limit));
  return selected.some((host) => within.has(host));
}

function isEmpty(inventory: InventoryPort): boolean {
  return (inventory.groups().get('all') ?? []).length === 0;
}
