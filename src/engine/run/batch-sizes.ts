/** How a play's hosts are ordered and cut into batches. */
import { InvalidInput } from '../../shared/errors.ts';
import { table } from '../../shared/table.ts';
import type { Value } from '../values.ts';

/** Sizes of the batches that `serial` asks for; the last one repeats. No serial, or 0, is all hosts at once. */
export function batchSizes(serial: Value | undefined, hosts: number): number[] {
  const wanted =
    serial === undefined || serial === null ? [] : Array.isArray(serial) ? serial : [serial];
  const sizes = wanted.map((size) => sizeOf(String(size), hosts));
  return sizes.length === 0 ? [hosts] : sizes;
}

function sizeOf(text: string, hosts: number): number {
  const amount = Number(text.replace(/%$/, ''));
  if (text.trim() === '' || Number.isNaN(amount)) {
    throw InvalidInput.at(undefined, `serial: "${text}" is neither a number nor a percentage`);
  }
  const size = text.endsWith('%')
    ? Math.max(1, Math.floor((hosts * amount) / 100))
    : Math.trunc(amount);
  return size <= 0 ? hosts : size;
}

const ORDERS: Readonly<Record<string, (hosts: readonly string[]) => string[]>> = table({
  inventory: (hosts) => [...hosts],
  reverse_inventory: (hosts) => hosts.toReversed(),
  sorted: (hosts) => hosts.toSorted(),
  reverse_sorted: (hosts) => hosts.toSorted().reverse(),
  shuffle: (hosts) =>
    hosts
      .map((host) => ({ host, key: Math.random() }))
      .sort((a, b) => a.key - b.key)
      .map(({ host }) => host),
});

/** Hosts in the order that a play's `order` names. Throws InvalidInput for one that does not exist. */
export function orderHosts(hosts: readonly string[], order: string): string[] {
  const sort = Object.hasOwn(ORDERS, order) ? ORDERS[order] : undefined;
  if (sort === undefined) {
    const known = Object.keys(ORDERS).join(', ');
    throw InvalidInput.at(undefined, `order: "${order}" is not one of ${known}`);
  }
  return sort(hosts);
}
