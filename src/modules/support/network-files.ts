/** Files that tell a container runtime how pods are connected. */
import { posix } from 'node:path';
import { type Reader, TaskError } from '../../engine/module.ts';
import { holds, parseIp } from '../../shared/ip-address.ts';
import { sh } from '../../shared/shell.ts';
import { readTextFile, type TextFile } from './text-file.ts';

/** What of a configuration this program looks at. */
interface Network {
  readonly name?: unknown;
  readonly type?: unknown;
  readonly bridge?: unknown;
  readonly plugins?: unknown;
  readonly ipam?: { readonly ranges?: readonly (readonly { readonly subnet?: unknown }[])[] };
}

/** A configuration that is wanted. */
export interface NetworkFile {
  readonly name: string;
  readonly text: string;
  readonly network: Network;
}

/** A bridge that a configuration makes, as far as the host has it. */
interface Bridge {
  readonly link: string;
  /** With their prefixes; empty where there is no such link. */
  readonly addresses: readonly string[];
  /** Where the addresses of pods are noted. */
  readonly leases: string;
  readonly hasLeases: boolean;
  readonly exists: boolean;
}

export interface NetworksState {
  readonly files: readonly TextFile[];
  /** Names of everything in the directory, in the order in which a runtime reads it. */
  readonly names: readonly string[];
  readonly directoryExists: boolean;
  readonly bridges: readonly Bridge[];
}

/** Names that runtimes read; all others are left alone. */
const READ = /\.(conf|conflist|json)$/;

/** Reads a configuration. Throws TaskError where no runtime would take it. */
export function parseNetwork(name: string, text: string): NetworkFile {
  const network = parsed(name, text);
  const isList = name.endsWith('.conflist');
  if (isList !== Array.isArray(network.plugins) || (!isList && typeof network.type !== 'string')) {
    throw new TaskError(
      isList ? `${name} has no list "plugins"` : `${name} has no "type", or is a list of plugins`,
      { hint: 'a `.conf` is one plugin, a `.conflist` a list of them' },
    );
  }
  for (const subnet of subnetsOf(network)) {
    if (parseIp(subnet)?.hasPrefix === true) continue;
    throw new TaskError(`${name} has the subnet "${subnet}", which is not a network`);
  }
  return { name, text, network };
}

function parsed(name: string, text: string): Network {
  try {
    const value: unknown = JSON.parse(text);
    if (typeof value === 'object' && value !== null) return value;
    throw new SyntaxError('it is not an object');
  } catch (cause) {
    const reason = cause instanceof Error ? cause.message : String(cause);
    throw new TaskError(`${name} is not valid JSON: ${reason}`, { cause });
  }
}

function subnetsOf({ ipam }: Network): string[] {
  return (ipam?.ranges ?? []).flat().map(({ subnet }) => String(subnet));
}

/** Reads the directory, the files that are wanted in it, and the bridges that they make. */
export async function probeNetworks(
  host: Reader,
  dest: string,
  wanted: readonly NetworkFile[],
): Promise<NetworksState> {
  const bridges = wanted.filter(({ network }) => typeof network.bridge === 'string');
  const [directory, { stdout }, looks, ...files] = await Promise.all([
    host.path(dest, { follow: true }),
    host.read(sh`ls -1 -- ${dest} 2>/dev/null; :`),
    Promise.all(bridges.map(({ network }) => probeBridge(host, network))),
    ...wanted.map(({ name }) => readTextFile(host, posix.join(dest, name))),
  ]);
  const names = new Set(stdout.split('\n').filter((name) => name !== ''));
  for (const { name, state } of host.predictedBelow(dest)) {
    if (posix.dirname(name) !== dest) continue;
    if (state === undefined) names.delete(posix.basename(name));
    else names.add(posix.basename(name));
  }
  return {
    files,
    names: [...names].filter((name) => READ.test(name)).sort(),
    directoryExists: directory !== undefined,
    bridges: looks,
  };
}

async function probeBridge(host: Reader, { bridge, name }: Network): Promise<Bridge> {
  const [link, leases] = [String(bridge), posix.join('/var/lib/cni/networks', String(name))];
  const { stdout } = await host.read(
    sh`[ ! -e ${`/sys/class/net/${link}`} ] || echo link
[ ! -d ${leases} ] || echo leases
ip -o addr show dev ${link} scope global 2>/dev/null; :`,
  );
  const lines = stdout.split('\n');
  return {
    ...{ link, leases, exists: lines.includes('link'), hasLeases: lines.includes('leases') },
    addresses: lines.flatMap((line) => /\binet6? (\S+)/.exec(line)?.[1] ?? []),
  };
}

/** Bridges whose address is of another subnet than is wanted: plugins refuse to use them. */
export function staleBridges(
  { bridges }: NetworksState,
  wanted: readonly NetworkFile[],
): readonly Bridge[] {
  const subnets = wanted.flatMap(({ network }) => subnetsOf(network));
  return bridges.filter(({ addresses }) => addresses.some((each) => !isWithin(each, subnets)));
}

function isWithin(address: string, subnets: readonly string[]): boolean {
  const is = parseIp(address);
  return subnets.some((each) => {
    const subnet = parseIp(each);
    return is !== undefined && subnet !== undefined && holds(subnet, is);
  });
}
