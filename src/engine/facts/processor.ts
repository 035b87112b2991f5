import type { PlainFacts } from './collector.ts';

/** Lines of /proc/cpuinfo that name a processor, in the order in which they are found. */
const NAMING = ['processor', 'vendor_id', 'model name', 'Processor', 'cpu', 'Vendor'];

interface Cpus {
  readonly names: readonly string[];
  readonly flags: readonly string[];
  readonly count: number;
  /** Threads and cores of each socket. */
  readonly sockets: ReadonlyMap<string, { readonly cores: number; readonly siblings: number }>;
}

/** Processors by socket, core and thread. Where the kernel tells no sockets, each processor is one. */
export function parseProcessors(cpuinfo: string, nproc: string, machine: string): PlainFacts {
  const cpus = readCpus(cpuinfo);
  const first = [...cpus.sockets.values()][0];
  const sockets = first === undefined ? cpus.count : cpus.sockets.size;
  const cores = first?.cores ?? 1;
  const threads = first === undefined ? 1 : Math.max(1, Math.floor(first.siblings / cores));
  return {
    processor: cpus.names,
    processor_count: sockets,
    processor_cores: cores,
    processor_threads_per_core: threads,
    processor_vcpus: sockets * cores * threads,
    processor_nproc: Number(nproc.trim()) || cpus.count,
    ...(isIntel(machine) || cpus.flags.length > 0 ? { flags: cpus.flags } : {}),
  };
}

function readCpus(cpuinfo: string): Cpus {
  const pairs = cpuinfo.split('\n').map((line) => line.split(/\s*:\s*/, 2));
  const rows = pairs.map(([key = '', value = '']) => [key, value.trim()] as const);
  const flags = rows.findLast(([key]) => key === 'flags')?.[1] ?? '';
  return {
    names: rows.filter(([key]) => NAMING.includes(key)).map(([, value]) => value),
    flags: flags.split(/\s+/).filter(Boolean),
    count: rows.filter(([key]) => key === 'processor').length,
    sockets: readSockets(rows),
  };
}

/** A `physical id` opens a socket; the counts that follow are the socket's. */
function readSockets(rows: readonly (readonly [string, string])[]): Cpus['sockets'] {
  const sockets = new Map<string, { cores: number; siblings: number }>();
  let socket = { cores: 1, siblings: 1 };
  for (const [key, value] of rows) {
    if (key === 'physical id') {
      socket = sockets.get(value) ?? { cores: 1, siblings: 1 };
      sockets.set(value, socket);
    } else if (key === 'cpu cores') socket.cores = Number(value);
    else if (key === 'siblings') socket.siblings = Number(value);
  }
  return sockets;
}

function isIntel(machine: string): boolean {
  return machine === 'x86_64' || machine === 'i386';
}
