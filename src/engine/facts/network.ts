import { joinCommands, sh } from '../../shared/shell.ts';
import { type Address, ipv4ByName, ipv4Facts, parseAddresses } from './addresses.ts';
import { type Collector, lines, type PlainFacts, type Sections, section } from './collector.ts';
import { INTERFACES_SCRIPT, parseInterfaces } from './interfaces.ts';

/** Addresses of two public name servers, only to learn which way leads out; nothing is sent. */
const OUTSIDE_IPV4 = '8.8.8.8';
const OUTSIDE_IPV6 = '2404:6800:400a:800::1012';

/** Interfaces, addresses and the way out. */
export const network: Collector = {
  name: 'network',
  ids: ['all_ipv4_addresses', 'all_ipv6_addresses', 'default_ipv4', 'default_ipv6', 'interfaces'],
  needs: ['platform', 'distribution'],
  script: joinCommands(
    [
      INTERFACES_SCRIPT,
      sh`s addresses; ip -o addr show; s route4; ip -4 route get ${OUTSIDE_IPV4}; s route6; ip -6 route get ${OUTSIDE_IPV6}
s local4; ip -4 route show table local; s local6; ip -6 route show table local`,
    ],
    '\n',
  ),

  parse(sections) {
    const addresses = parseAddresses(lines(sections, 'addresses'));
    const interfaces = parseInterfaces(sections);
    const ipv4 = ipv4ByName(addresses);
    const labels = [...ipv4.keys()].filter((name) => !interfaces.has(name));
    const complete = new Map(
      [...interfaces.keys(), ...labels].map((name) => {
        const ipv6 = ipv6Facts(addresses.filter(({ device }) => device === name));
        return [name, { ...interfaces.get(name), ...ipv4.get(name), ...ipv6 }] as const;
      }),
    );
    return {
      interfaces: [...complete.keys()].map((name) => name.replaceAll(':', '_')),
      ...Object.fromEntries(
        [...complete].map(([name, facts]) => [name.replace(/[-:]/g, '_'), facts]),
      ),
      default_ipv4: defaultAddress(wayOut(sections, 'route4'), addresses, complete, (address) => ({
        ...ipv4Facts(address),
        alias: address.label,
      })),
      default_ipv6: defaultAddress(wayOut(sections, 'route6'), addresses, complete, plainAddress),
      all_ipv4_addresses: all(addresses, 'inet').filter((each) => !each.startsWith('127.')),
      all_ipv6_addresses: all(addresses, 'inet6').filter((each) => each !== '::1'),
      locally_reachable_ips: {
        ipv4: reachable(sections, 'local4'),
        ipv6: reachable(sections, 'local6'),
      },
    };
  },
};

type Interfaces = ReadonlyMap<string, PlainFacts>;

interface WayOut {
  readonly device: string;
  readonly gateway: string | undefined;
  readonly source: string;
}

function ipv6Facts(addresses: readonly Address[]): PlainFacts {
  const ipv6 = addresses.filter(({ family }) => family === 'inet6').map(plainAddress);
  return ipv6.length > 0 ? { ipv6 } : {};
}

function plainAddress({ address, prefix, scope }: Address): PlainFacts {
  return { address, prefix, scope };
}

function wayOut(sections: Sections, name: string): WayOut | undefined {
  const text = section(sections, name);
  const [, device] = /\bdev (\S+)/.exec(text) ?? [];
  const [, source] = /\bsrc (\S+)/.exec(text) ?? [];
  const [, gateway] = /\bvia (\S+)/.exec(text) ?? [];
  return device === undefined || source === undefined ? undefined : { device, source, gateway };
}

/** The address of the default route; `own` is what the facts of its family tell of it. */
function defaultAddress(
  way: WayOut | undefined,
  addresses: readonly Address[],
  interfaces: Interfaces,
  own: (address: Address) => PlainFacts,
): PlainFacts {
  const address = addresses.find((each) => each.address === way?.source);
  if (way === undefined || address === undefined) return {};
  const { macaddress, mtu, type } = interfaces.get(way.device) ?? {};
  return {
    ...(way.gateway && { gateway: way.gateway }),
    interface: way.device,
    macaddress,
    mtu,
    type,
    ...own(address),
  };
}

function all(addresses: readonly Address[], family: Address['family']): readonly string[] {
  return addresses.filter((each) => each.family === family).map(({ address }) => address);
}

function reachable(sections: Sections, name: string): readonly string[] {
  return lines(sections, name).flatMap((line) => /^local (\S+)/.exec(line)?.[1] ?? []);
}
