/** An IP address with the network around it, in whole numbers. */
export interface IpAddress {
  readonly version: 4 | 6;
  readonly ip: bigint;
  readonly prefix: number;
  /** Whether the text named a prefix or a netmask. */
  readonly hasPrefix: boolean;
}

/** How many bits an address of the version has. */
export function widthOf({ version }: Pick<IpAddress, 'version'>): number {
  return version === 4 ? 32 : 128;
}

function parseV4(text: string): bigint | undefined {
  if (!/^\d{1,3}(?:\.\d{1,3}){3}$/.test(text)) return undefined;
  const octets = text.split('.').map(Number);
  if (octets.some((octet) => octet > 255)) return undefined;
  return octets.reduce((value, octet) => value * 256n + BigInt(octet), 0n);
}

function parseV6(text: string): bigint | undefined {
  if (!/^[\da-f:.]+$/i.test(text) || !text.includes(':')) return undefined;
  const dotted = /^(.*:)(\d+\.\d+\.\d+\.\d+)$/.exec(text);
  const tail = dotted === null ? undefined : parseV4(dotted[2] ?? '');
  if (dotted !== null && tail === undefined) return undefined;
  const plain =
    tail === undefined
      ? text
      : `${dotted?.[1]}${(tail >> 16n).toString(16)}:${(tail & 0xffffn).toString(16)}`;
  const halves = plain.split('::');
  if (halves.length > 2) return undefined;
  const [head = [], rest = []] = halves.map((half) => (half === '' ? [] : half.split(':')));
  const missing = 8 - head.length - rest.length;
  if (halves.length === 2 ? missing < 1 : missing !== 0) return undefined;
  const groups = [...head, ...Array.from({ length: missing }, () => '0'), ...rest];
  if (groups.some((group) => !/^[\da-f]{1,4}$/i.test(group))) return undefined;
  return groups.reduce((value, group) => value * 65_536n + BigInt(`0x${group}`), 0n);
}

function parseNumber(text: string): Pick<IpAddress, 'version' | 'ip'> | undefined {
  const ip = BigInt(text);
  if (ip < 1n << 32n) return { version: 4, ip };
  return ip < 1n << 128n ? { version: 6, ip } : undefined;
}

function parseHost(text: string): Pick<IpAddress, 'version' | 'ip'> | undefined {
  if (/^\d+$/.test(text)) return parseNumber(text);
  const v4 = parseV4(text);
  if (v4 !== undefined) return { version: 4, ip: v4 };
  const v6 = parseV6(text);
  return v6 === undefined ? undefined : { version: 6, ip: v6 };
}

function parsePrefix(text: string, version: 4 | 6): number | undefined {
  const width = widthOf({ version });
  if (/^\d{1,3}$/.test(text)) return Number(text) <= width ? Number(text) : undefined;
  const mask = version === 4 ? parseV4(text) : parseV6(text);
  if (mask === undefined) return undefined;
  const bits = mask.toString(2).padStart(width, '0');
  const ones = /^(1*)0*$/.exec(bits)?.[1]?.length;
  // A wildcard such as 0.0.0.255 is understood too.
  return ones ?? /^0*(1*)$/.exec(bits)?.[1]?.length;
}

/** Reads an address such as `10.0.0.1`, `10.0.0.1/8`, `10.0.0.1/255.0.0.0`, `::1/64` or a whole number. */
export function parseIp(text: string): IpAddress | undefined {
  const [host = '', mask, ...surplus] = text.trim().split('/');
  const address = parseHost(host);
  if (address === undefined || surplus.length > 0) return undefined;
  if (mask === undefined) return { ...address, prefix: widthOf(address), hasPrefix: false };
  const prefix = parsePrefix(mask, address.version);
  return prefix === undefined ? undefined : { ...address, prefix, hasPrefix: true };
}

/** How many addresses the network has. */
export function sizeOf(address: IpAddress): bigint {
  return 1n << BigInt(widthOf(address) - address.prefix);
}

/** The first address of the network. */
export function networkOf(address: IpAddress): bigint {
  return address.ip - (address.ip % sizeOf(address));
}

/** The last address of the network. */
export function lastOf(address: IpAddress): bigint {
  return networkOf(address) + sizeOf(address) - 1n;
}

/** The netmask as a number. */
export function maskOf(address: IpAddress): bigint {
  return (1n << BigInt(widthOf(address))) - sizeOf(address);
}

/** The usual text of an address. */
export function formatIp(ip: bigint, version: 4 | 6): string {
  return version === 4 ? formatV4(ip) : formatV6(ip);
}

function formatV4(ip: bigint): string {
  return [24n, 16n, 8n, 0n].map((shift) => (ip >> shift) & 255n).join('.');
}

function formatV6(ip: bigint): string {
  if (ip >> 32n === 0xffffn) return `::ffff:${formatV4(ip & 0xffffffffn)}`;
  if (ip >> 32n === 0n && ip > 0xffffn) return `::${formatV4(ip)}`;
  const hex = ip.toString(16).padStart(32, '0');
  const groups = (hex.match(/.{4}/g) ?? []).map((group) => group.replace(/^0+(?=.)/, ''));
  const runs = groups.join(':').match(/\b0(?::0)+\b/g) ?? [];
  const longest = runs.reduce((best, run) => (run.length > best.length ? run : best), '');
  if (longest === '') return groups.join(':');
  const text = groups.join(':');
  const at = text.search(new RegExp(`(?:^|(?<=:))${longest}(?=:|$)`));
  const [head, tail] = [text.slice(0, at), text.slice(at + longest.length)];
  return `${head.replace(/:$/, '')}::${tail.replace(/^:/, '')}`;
}

/** The whole network as `address/prefix`. */
export function formatNetwork(address: IpAddress): string {
  return `${formatIp(networkOf(address), address.version)}/${address.prefix}`;
}

/** Whether a network holds all addresses of another. */
export function holds(network: IpAddress, other: IpAddress): boolean {
  return (
    network.version === other.version &&
    networkOf(network) <= networkOf(other) &&
    lastOf(other) <= lastOf(network)
  );
}
