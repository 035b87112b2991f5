/** Control groups of a kernel: what it shows of them, and whether a node can work with them. */
import { table } from '../../shared/table.ts';

/** The rows of `/proc/cgroups` that a node needs, and the controller of version 2 that does their work. */
const NEEDED: Readonly<Record<string, string | null>> = table({
  cpuset: 'cpuset',
  cpu: 'cpu',
  cpuacct: 'cpu',
  blkio: 'io',
  memory: 'memory',
  devices: 'BPF',
  freezer: 'cgroup.freeze',
  net_cls: null,
  perf_event: 'perf_event',
  net_prio: null,
  pids: 'pids',
});

/** What version 2 has without a controller in `cgroup.controllers`. */
const IMPLICIT = ['BPF', 'perf_event'];

export interface CgroupFacts {
  readonly version: 'v1' | 'v2';
  /** Text of `/proc/cgroups`. */
  readonly table: string;
  /** Text of the root's `cgroup.controllers`; empty in version 1. */
  readonly controllers: string;
  /** Whether groups of version 2 can be frozen (kernel 5.2). */
  readonly canFreeze: boolean;
}

/** A row as a report shows it. */
export interface CgroupRow {
  readonly name: string;
  /** As `/proc/cgroups` has them; null where it has no such row. */
  readonly hierarchy: number | null;
  readonly num_cgroups: number | null;
  readonly enabled: number | null;
  /** What does the work in version 2; null where nothing does. */
  readonly controller: string | null;
  readonly verdict: string;
  readonly passed: boolean;
}

/**
 * The eleven rows, judged: in version 1 each has to be enabled. In version 2 the table says little (kernels since 6.11
 * leave rows out): the controller has to be there, and a row that is left out is no failure.
 */
export function judgeCgroups(facts: CgroupFacts): CgroupRow[] {
  const table = parseTable(facts.table);
  return Object.entries(NEEDED).map(([name, controller]) => {
    const [hierarchy = null, num_cgroups = null, enabled = null] = table.get(name) ?? [];
    const row = { name, hierarchy, num_cgroups, enabled, controller };
    if (facts.version === 'v2') return { ...row, ...judgeV2(facts, controller, enabled) };
    const verdict = { 0: 'disabled', 1: 'enabled' }[enabled ?? -1] ?? 'missing';
    return { ...row, verdict, passed: enabled === 1 };
  });
}

function judgeV2(facts: CgroupFacts, controller: string | null, enabled: number | null) {
  if (controller === null) return { verdict: 'has no form in v2', passed: true };
  if (!hasController(facts, controller)) {
    return { verdict: enabled === 0 ? 'disabled' : 'missing', passed: false };
  }
  const verdict = enabled === null ? 'not exposed by this kernel (v2)' : 'enabled';
  return { verdict, passed: true };
}

function hasController({ controllers, canFreeze }: CgroupFacts, name: string): boolean {
  if (name === 'cgroup.freeze') return canFreeze;
  return IMPLICIT.includes(name) || controllers.trim().split(/\s+/).includes(name);
}

function parseTable(text: string): Map<string, number[]> {
  const rows = text.split('\n').filter((line) => line !== '' && !line.startsWith('#'));
  return new Map(
    rows.map((line) => {
      const [name = '', ...numbers] = line.split(/\s+/);
      return [name, numbers.map(Number)];
    }),
  );
}
