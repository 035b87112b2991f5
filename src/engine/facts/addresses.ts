/** Addresses of the host's interfaces, as `ip -o addr` prints them. */

/** One address of one interface. */
export interface Address {
  readonly device: string;
  readonly family: 'inet' | 'inet6';
  readonly address: string;
  readonly prefix: string;
  readonly broadcast: string;
  readonly scope: string;
  /** The name under which the address was set, e.g. `eth0:1`. */
  readonly label: string;
  /** Whether the kernel counts it as one more in the network of an earlier address. */
  readonly isSecondary: boolean;
}

/** Every address in the order of the kernel. */
export function parseAddresses(lines: readonly string[]): readonly Address[] {
  return lines.flatMap((line) => {
    const [, device = '', family, text = '', rest = ''] =
      /^\d+:\s+(\S+)\s+(inet6?)\s+(\S+)(.*)$/.exec(line) ?? [];
    if (family !== 'inet' && family !== 'inet6') return [];
    return [parseAddress(device, family, text, rest.replace(/\\.*$/s, ''))];
  });
}

function parseAddress(
  device: string,
  family: Address['family'],
  text: string,
  rest: string,
): Address {
  const peerless = text.split('/');
  const [, peer] = /peer \S+\/(\d+)/.exec(rest) ?? [];
  const words = rest.trim().split(/\s+/);
  const last = words.at(-1) ?? '';
  return {
    device,
    family,
    address: peerless[0] ?? '',
    prefix: peerless[1] ?? peer ?? (family === 'inet' ? '32' : '128'),
    broadcast: / brd (\S+)/.exec(rest)?.[1] ?? '',
    scope: / scope (\S+)/.exec(rest)?.[1] ?? '',
    isSecondary: / secondary(?= |$)/.test(rest),
    label: last === device || last.startsWith(`${device}:`) ? last : device,
  };
}

/** IPv4 facts of one interface or of one label. */
export interface Ipv4Facts {
  ipv4?: object;
  ipv4_secondaries?: object[];
}

/**
 * IPv4 addresses by interface and by label, as Ansible sorts them: the first one is the interface's own, further
 * ones are its secondaries; a label is an interface beside it.
 */
export function ipv4ByName(addresses: readonly Address[]): ReadonlyMap<string, Ipv4Facts> {
  const names = new Map<string, Ipv4Facts>();
  for (const address of addresses.filter(({ family }) => family === 'inet')) {
    const { device, label, isSecondary } = address;
    const entry = names.get(label) ?? {};
    if (!isSecondary && entry.ipv4 === undefined)
      names.set(label, { ...entry, ipv4: ipv4Facts(address) });
    else names.set(label, { ...(label === device && entry), ...withSecondary(entry, address) });
    if (isSecondary && label !== device) {
      const own = names.get(device) ?? {};
      names.set(device, { ...own, ...withSecondary(own, address) });
    }
  }
  return names;
}

function withSecondary({ ipv4_secondaries = [] }: Ipv4Facts, address: Address): Ipv4Facts {
  return { ipv4_secondaries: [...ipv4_secondaries, ipv4Facts(address)] };
}

/** Facts of an IPv4 address. */
export function ipv4Facts({ address, prefix, broadcast }: Address) {
  const mask = maskOf(Number(prefix));
  return {
    address,
    broadcast,
    netmask: dotted(mask),
    network: dotted(number(address) & mask),
    prefix,
  };
}

function maskOf(prefix: number): number {
  return prefix === 0 ? 0 : (-1 << (32 - prefix)) >>> 0;
}

function number(address: string): number {
  return address.split('.').reduce((sum, part) => sum * 256 + Number(part), 0) >>> 0;
}

function dotted(value: number): string {
  return [24, 16, 8, 0].map((shift) => (value >>> shift) & 255).join('.');
}
