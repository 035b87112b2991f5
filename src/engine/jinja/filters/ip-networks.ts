import {
  formatIp,
  formatNetwork,
  holds,
  type IpAddress,
  lastOf,
  networkOf,
  parseIp,
  sizeOf,
  widthOf,
} from '../../../shared/ip-address.ts';
import { type Builtin, define } from '../builtin.ts';
import { TemplateError } from '../errors.ts';
import { iterate } from '../iterate.ts';
import { isInt, makeInt } from '../numbers.ts';
import { isText, type Val } from '../objects.ts';
import { textOf } from '../text.ts';
import { isNetwork, usableRange } from './ip-queries.ts';
import { addressOf } from './ipaddr.ts';

function requireAddress(value: Val): IpAddress {
  const address = isText(value) || isInt(value, false) ? parseIp(textOf(value)) : undefined;
  if (address !== undefined) return address;
  throw new TemplateError(`${JSON.stringify(textOf(value))} is no IP address or network`);
}

function offsetOf(value: Val): bigint {
  if (isInt(value, false)) return BigInt(value);
  if (isText(value) && /^\s*[-+]?\d+\s*$/.test(textOf(value))) return BigInt(textOf(value).trim());
  throw new TemplateError(`${JSON.stringify(textOf(value))} is no integer`);
}

function ipmath(value: Val, amount: Val): Val {
  const address = requireAddress(value);
  const ip = address.ip + offsetOf(amount);
  if (ip < 0n || ip >= 1n << BigInt(widthOf(address)))
    throw new TemplateError('the result is no IP address');
  return formatIp(ip, address.version);
}

/** The nth address of a network, from its end where n is negative. False where the network is too small. */
function nthHost(value: Val, index: Val): Val {
  const address = addressOf(value);
  if (address === undefined) return false;
  const position = offsetOf(index);
  const size = sizeOf(address);
  const at = position < 0n ? position + size : position;
  return at >= 0n && at < size ? formatIp(networkOf(address) + at, address.version) : false;
}

function nthUsable(sign: bigint) {
  return (value: Val, offset: Val): Val => {
    const address = addressOf(value);
    if (address === undefined) return false;
    const range = usableRange(address);
    const ip = address.ip + sign * offsetOf(offset);
    if (range === undefined || ip < range[0] || ip > range[1]) return null;
    return formatIp(ip, address.version);
  };
}

function inNetwork(value: Val, test: Val): boolean {
  const [network, tested] = [addressOf(value), addressOf(test)];
  return network !== undefined && tested !== undefined && holds(network, tested);
}

function inUsable(value: Val, test: Val): boolean {
  const [network, tested] = [addressOf(value), addressOf(test)];
  if (network === undefined || tested === undefined || !holds(network, tested)) return false;
  const range = usableRange(network) ?? [network.ip, network.ip];
  return range[0] <= networkOf(tested) && lastOf(tested) <= range[1];
}

/** The fewest networks that hold exactly the addresses of the given ones. */
function merged(networks: readonly IpAddress[]): readonly IpAddress[] {
  const sorted = networks.toSorted(byPlace);
  const kept: IpAddress[] = [];
  for (const network of sorted) {
    if (kept.some((other) => holds(other, network))) continue;
    kept.push(network);
    joinLast(kept);
  }
  return kept;
}

function byPlace(a: IpAddress, b: IpAddress): number {
  if (a.version !== b.version) return a.version - b.version;
  const [x, y] = [networkOf(a), networkOf(b)];
  if (x !== y) return x < y ? -1 : 1;
  return a.prefix - b.prefix;
}

/** Joins the last two networks as long as they are the halves of one. */
function joinLast(networks: IpAddress[]): void {
  for (;;) {
    const [low, high] = networks.slice(-2);
    if (low === undefined || high === undefined || low.version !== high.version) return;
    const whole = { ...low, prefix: low.prefix - 1 };
    const areHalves = low.prefix === high.prefix && networkOf(low) === networkOf(whole);
    if (!areHalves || lastOf(low) + 1n !== networkOf(high)) return;
    networks.splice(-2, 2, whole);
  }
}

function spanning(networks: readonly IpAddress[]): string {
  const [first, ...others] = networks;
  if (first === undefined || others.length === 0)
    throw new TemplateError('span takes at least two networks');
  for (let prefix = first.prefix; prefix >= 0; prefix--) {
    const network = { ...first, prefix };
    if (others.every((other) => holds(network, other))) return formatNetwork(network);
  }
  throw new TemplateError('addresses of both versions have no network in common');
}

function cidrMerge(values: readonly Val[], action: string): Val {
  const networks = values.map(requireAddress);
  if (action === 'merge') return merged(networks).map(formatNetwork);
  if (action === 'span') return networks.length === 0 ? null : spanning(networks);
  throw new TemplateError(`cidr_merge knows "merge" and "span", not "${action}"`);
}

function usableList(value: Val): Val {
  const address = requireAddress(value);
  const [first, count] = [networkOf(address), sizeOf(address)];
  if (address.ip !== first) throw new TemplateError(`"${textOf(value)}" has host bits set`);
  if (count > 100_000n) throw new TemplateError('the network is too large to list');
  const hosts = Array.from({ length: Number(count) }, (_, index) =>
    formatIp(first + BigInt(index), address.version),
  );
  return new Map<Val, Val>([
    ['usable_ips', hosts],
    ['number_of_ips', makeInt(count)],
  ]);
}

function slaac(value: Val, hardware: Val): Val {
  const address = addressOf(value);
  if (address === undefined || address.version !== 6) return false;
  const digits = textOf(hardware).replace(/[:.-]/g, '');
  if (!/^[\da-f]{12}$/i.test(digits)) return false;
  const mac = BigInt(`0x${digits}`);
  const eui64 = ((mac >> 24n) << 40n) | (0xfffen << 24n) | (mac & 0xffffffn);
  const start = isNetwork(address) ? address.ip : networkOf(address);
  return formatIp(start + (eui64 ^ (1n << 57n)), 6);
}

/** The filters that compute with networks. */
export const ipNetworkFilters: readonly Builtin[] = [
  define('ipmath', 'value, amount', (_runtime, value, amount) => ipmath(value, amount)),
  define('nthhost', "value, query=''", (_runtime, value, index) => nthHost(value, index)),
  define('next_nth_usable', 'value, offset', (_runtime, value, offset) =>
    nthUsable(1n)(value, offset),
  ),
  define('previous_nth_usable', 'value, offset', (_runtime, value, offset) =>
    nthUsable(-1n)(value, offset),
  ),
  define('network_in_network', 'value, test', (_runtime, value, test) => inNetwork(value, test)),
  define('network_in_usable', 'value, test', (_runtime, value, test) => inUsable(value, test)),
  define('reduce_on_network', 'value, network', (runtime, value, network) =>
    iterate(value, runtime).filter((item) => inNetwork(network, item)),
  ),
  define('cidr_merge', "value, action='merge'", (runtime, value, action) =>
    cidrMerge(iterate(value, runtime), textOf(action)),
  ),
  define('usable_range', 'ip', (_runtime, value) => usableList(value)),
  define('slaac', "value, query=''", (_runtime, value, hardware) => slaac(value, hardware)),
];
