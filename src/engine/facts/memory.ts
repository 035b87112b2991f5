import type { PlainFacts } from './collector.ts';

/** Memory in whole mebibytes, from /proc/meminfo. */
export function parseMemory(meminfo: string): PlainFacts {
  const rows = [...meminfo.matchAll(/^(\w+):\s+(\d+) kB$/gm)];
  const sizes = new Map(rows.map(([, name = '', kib]) => [name, Math.floor(Number(kib) / 1024)]));
  const of = (name: string) => sizes.get(name) ?? 0;
  const total = of('MemTotal');
  const free = of('MemFree');
  const uncached = free + of('Buffers') + of('Cached');
  const swapTotal = of('SwapTotal');
  const swapFree = of('SwapFree');
  return {
    memtotal_mb: total,
    memfree_mb: free,
    swaptotal_mb: swapTotal,
    swapfree_mb: swapFree,
    memory_mb: {
      real: { total, used: total - free, free },
      nocache: { free: uncached, used: total - uncached },
      swap: {
        total: swapTotal,
        free: swapFree,
        used: swapTotal - swapFree,
        cached: of('SwapCached'),
      },
    },
  };
}
