import {
  formatIp,
  formatNetwork,
  holds,
  type IpAddress,
  lastOf,
  maskOf,
  networkOf,
  parseIp,
  sizeOf,
  widthOf,
} from '../../../shared/ip-address.ts';
import { TemplateError } from '../errors.ts';
import { makeInt } from '../numbers.ts';
import type { Val } from '../objects.ts';

/** What a query gets: the address, and the text of the value where it named an address itself. */
export interface Queried extends IpAddress {
  readonly text: string;
}

export type IpQuery = (address: Queried) => Val;

export const ipText = (address: IpAddress) => formatIp(address.ip, address.version);
export const withPrefix = (address: IpAddress) => `${ipText(address)}/${address.prefix}`;

/** Whether the address is that of a network itself. */
export function isNetwork(address: IpAddress): boolean {
  return sizeOf(address) > 1n && address.ip === networkOf(address);
}

/** Whether the address stands for a host: in a network of two both do. */
function isHost(address: IpAddress): boolean {
  return !isNetwork(address) || sizeOf(address) === 2n;
}

function requireNetwork(address: Queried): void {
  if (!address.hasPrefix) throw new TemplateError(`"${address.text}" is no network`);
}

function isBroadcast(address: IpAddress): boolean {
  return sizeOf(address) > 2n && address.ip === lastOf(address);
}

/** The first and the last address that hosts may have, or undefined for a single address. */
export function usableRange(address: IpAddress): readonly [bigint, bigint] | undefined {
  const size = sizeOf(address);
  if (size === 1n) return undefined;
  const margin = size === 2n ? 0n : 1n;
  return [networkOf(address) + margin, lastOf(address) - margin];
}

function usable(pick: (range: readonly [bigint, bigint], address: IpAddress) => bigint): IpQuery {
  return (address) => {
    requireNetwork(address);
    const range = usableRange(address);
    if (range === undefined) return null;
    const ip = pick(range, address);
    if (ip < 0n) throw new TemplateError('there is no address before');
    return range[0] <= ip && ip <= range[1] ? formatIp(ip, address.version) : null;
  };
}

function rangeText(address: Queried): Val {
  requireNetwork(address);
  const range = usableRange(address);
  return range === undefined ? null : range.map((ip) => formatIp(ip, address.version)).join('-');
}

function within(networks: readonly string[]): (address: IpAddress) => boolean {
  const parsed = networks.flatMap((network) => parseIp(network) ?? []);
  return (address) =>
    parsed.some((network) => holds(network, { ...address, prefix: widthOf(address) }));
}

export const isLoopback = within(['127.0.0.0/8', '::1/128']);
export const isMulticast = within(['224.0.0.0/4', 'ff00::/8']);
export const isLinkLocal = within(['169.254.0.0/16', 'fe80::/10']);
const isSpecial = within([
  '10.0.0.0/8',
  '172.16.0.0/12',
  '192.168.0.0/16',
  'fc00::/7',
  'fec0::/10',
  '2002::/16',
  '0.0.0.0/8',
  '100.64.0.0/10',
  '192.0.0.0/24',
  '192.0.2.0/24',
  '198.18.0.0/15',
  '198.51.100.0/24',
  '203.0.113.0/24',
  '240.0.0.0/4',
  '::/8',
  '2001:db8::/32',
  '100::/64',
]);

function isPublic(address: IpAddress): boolean {
  const special = [isLoopback, isMulticast, isLinkLocal, isSpecial];
  return !special.some((test) => test(address));
}

/** A query that gives the value itself where the address has the property. */
function having(test: (address: IpAddress) => boolean): IpQuery {
  return (address) => (test(address) ? address.text : null);
}

function reverseName(address: IpAddress): string {
  if (address.version === 4)
    return `${ipText(address).split('.').reverse().join('.')}.in-addr.arpa.`;
  const digits = address.ip.toString(16).padStart(32, '0');
  return `${[...digits].reverse().join('.')}.ip6.arpa.`;
}

function peer(address: Queried): Val {
  const size = sizeOf(address);
  if (size === 2n) return formatIp(address.ip ^ 1n, address.version);
  if (size !== 4n) throw new TemplateError(`"${address.text}" is no point-to-point network`);
  if (isNetwork(address)) throw new TemplateError('the network address has no peer');
  if (address.ip === lastOf(address)) throw new TemplateError('the broadcast address has no peer');
  return formatIp(address.ip ^ 3n, address.version);
}

function sixToFour(address: Queried): Val {
  if (address.version === 6) return address.ip >> 112n === 0x2002n ? address.text : false;
  if (isNetwork(address) || isMulticast(address)) return false;
  const hex = address.ip.toString(16).padStart(8, '0');
  return `2002:${hex.slice(0, 4)}:${hex.slice(4)}::1/48`;
}

/** The address of version 4 that one of version 6 holds, or false. */
function toVersion4(address: Queried): Val {
  if (address.version === 4) return address.text;
  const isMapped = address.ip >> 32n === 0xffffn || address.ip >> 32n === 0n;
  if (!isMapped || address.prefix < 96) return false;
  return `${formatIp(address.ip & 0xffffffffn, 4)}/${address.prefix - 96}`;
}

/** The address of version 6 that stands for one of version 4. */
function toVersion6(address: Queried): Val {
  if (address.version === 6) return address.text;
  return `${formatIp(address.ip | (0xffffn << 32n), 6)}/${address.prefix + 96}`;
}

/** The address as it was given: with its prefix where it has one. */
export function plainText(address: Queried): string {
  return address.hasPrefix ? withPrefix(address) : ipText(address);
}

export function wrapped(address: Queried): string {
  if (address.version === 4) return address.text;
  return `[${ipText(address)}]${address.hasPrefix ? `/${address.prefix}` : ''}`;
}

function pair(
  first: (address: IpAddress) => bigint,
  second: (address: IpAddress) => bigint,
): IpQuery {
  return (address) =>
    `${formatIp(first(address), address.version)} ${formatIp(second(address), address.version)}`;
}

const ofHosts =
  (query: IpQuery): IpQuery =>
  (address) =>
    address.hasPrefix && sizeOf(address) > 1n && isHost(address) ? query(address) : null;

const hostMask = (address: IpAddress) => sizeOf(address) - 1n;
const ipOf = (address: IpAddress) => address.ip;

function entries(names: string, query: IpQuery): readonly (readonly [string, IpQuery])[] {
  return names.split(' ').map((name) => [name, query] as const);
}

/** The queries of ipaddr by name. */
export const IP_QUERIES: ReadonlyMap<string, IpQuery> = new Map<string, IpQuery>([
  ...entries('address ip', (address) =>
    address.version === 6 || isHost(address) ? ipText(address) : null,
  ),
  ...entries('host', (address) => (isHost(address) ? withPrefix(address) : null)),
  ...entries('host/prefix hostnet address/prefix gateway gw router', (address) =>
    isHost(address) && !isBroadcast(address) ? withPrefix(address) : false,
  ),
  ...entries('ip/prefix', ofHosts(withPrefix)),
  ...entries('net', (address) => (isNetwork(address) ? formatNetwork(address) : null)),
  ...entries('cidr', withPrefix),
  ...entries('subnet', formatNetwork),
  ...entries('network network_id', (address) => formatIp(networkOf(address), address.version)),
  ...entries('network/prefix', formatNetwork),
  ...entries('netmask', (address) => formatIp(maskOf(address), address.version)),
  ...entries('hostmask wildcard', (address) => formatIp(hostMask(address), address.version)),
  ...entries('broadcast', (address) =>
    sizeOf(address) > 2n ? formatIp(lastOf(address), address.version) : null,
  ),
  ...entries('prefix', ({ prefix }) => prefix),
  ...entries('size', (address) => makeInt(sizeOf(address))),
  ...entries('size_usable', (address) => {
    const range = usableRange(address);
    return range === undefined ? 0 : makeInt(range[1] - range[0] + 1n);
  }),
  ...entries(
    'first_usable',
    usable(([first]) => first),
  ),
  ...entries(
    'last_usable',
    usable(([, last]) => last),
  ),
  ...entries(
    'next_usable',
    usable((_range, { ip }) => ip + 1n),
  ),
  ...entries(
    'previous_usable',
    usable((_range, { ip }) => ip - 1n),
  ),
  ...entries('range_usable', rangeText),
  ...entries('network_netmask', pair(networkOf, maskOf)),
  ...entries('network_wildcard', pair(networkOf, hostMask)),
  ...entries('ip_netmask', ofHosts(pair(ipOf, maskOf))),
  ...entries('ip_wildcard', ofHosts(pair(ipOf, hostMask))),
  ...entries('type', (address) => (isNetwork(address) ? 'network' : 'address')),
  ...entries('bool', () => true),
  ...entries('version', ({ version }) => version),
  ...entries('int', (address) =>
    address.hasPrefix ? `${address.ip}/${address.prefix}` : makeInt(address.ip),
  ),
  ...entries('ipv4 v4', toVersion4),
  ...entries('ipv6 v6', toVersion6),
  ...entries('public', having(isPublic)),
  ...entries(
    'private',
    having((address) => !isPublic(address) && !isMulticast(address)),
  ),
  ...entries('loopback lo', having(isLoopback)),
  ...entries('multicast', having(isMulticast)),
  ...entries(
    'unicast',
    having((address) => !isMulticast(address)),
  ),
  ...entries('link-local', having(isLinkLocal)),
  ...entries('wrap ipwrap', wrapped),
  ...entries('revdns', reverseName),
  ...entries('6to4', sixToFour),
  ...entries('peer', peer),
]);
