import { cpus } from 'node:os';
import { type Cost, LIMIT_MS, TooSlow } from './measure.ts';

/** What one engine needed for one scenario, or why there is no figure. */
export interface Row {
  readonly scenario: string;
  readonly contender: string;
  readonly cost: Cost | Error;
}

const TRIPS_HEAD = [
  '## Round trips on the wire, 1 host, converged',
  '',
  '| engine | round trips, with those of the connection | KiB |',
  '| --- | ---: | ---: |',
];

/** The page of figures: a table for each scenario, then the round trips. */
export function renderReport(rows: readonly Row[], trips: readonly string[]): string {
  const names = [...new Set(rows.map(({ scenario }) => scenario))];
  return [
    '# Benchmarks',
    '',
    `Made by \`npm run bench:engine\` on ${cpus().length} cores, ${cpus()[0]?.model ?? 'unknown'}, Node ${process.versions.node}, ${new Date().toISOString().slice(0, 10)}. The nodes run on the same machine, so their work is part of the time. A play of 30 state tasks (10 directories, 10 files, 8 lines, a service, a user), no facts. ansible-core 2.19 with pipelining and ControlPersist; all with 20 forks. The best of the runs; the ratio is the time beside tsprov's. Other measurements: [the scaler](benchmarks-scaler.md), [preparing a node](benchmarks-node.md).`,
    '',
    ...names.flatMap((name) =>
      table(
        name,
        rows.filter(({ scenario }) => scenario === name),
      ),
    ),
    ...(trips.length === 0 ? [] : [...TRIPS_HEAD, ...trips, '']),
  ].join('\n');
}

function table(name: string, rows: readonly Row[]): string[] {
  const ours = rows.find(({ contender }) => contender === 'tsprov')?.cost;
  const lines = rows.map(({ contender, cost }) => {
    if (cost instanceof Error) return failedLine(contender, cost, ours);
    const ratio = (part: 'wallMs' | 'cpuMs') =>
      !(ours === undefined || ours instanceof Error)
        ? `${(cost[part] / Math.max(1, ours[part])).toFixed(1)}×`
        : '';
    const seconds = (ms: number) => (ms / 1000).toFixed(2);
    return `| ${contender} | ${seconds(cost.wallMs)} | ${ratio('wallMs')} | ${seconds(cost.cpuMs)} | ${ratio('cpuMs')} | ${cost.peakMib.toFixed(0)} |`;
  });
  return [
    `## ${name}`,
    '',
    '| engine | seconds | ratio | controller CPU, seconds | ratio | peak memory, MiB |',
    '| --- | ---: | ---: | ---: | ---: | ---: |',
    ...lines,
    '',
  ];
}

function failedLine(contender: string, error: Error, ours: Cost | Error | undefined): string {
  if (!(error instanceof TooSlow)) return `| ${contender} | did not run | | | | |`;
  const least =
    ours === undefined || ours instanceof Error
      ? ''
      : `over ${(LIMIT_MS / ours.wallMs).toFixed(0)}×`;
  return `| ${contender} | over ${LIMIT_MS / 1000} | ${least} | | | |`;
}
