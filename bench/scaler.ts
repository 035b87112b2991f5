/**
 * `npm run bench:scaler [COUNT…]`: how the scaler does with many ScaledObjects, beside KEDA on the same control plane in
 * turn (where its programs are in the cache; see bench/keda.ts). Writes docs/benchmarks-scaler.md.
 */
import { writeFile } from 'node:fs/promises';
import { cpus } from 'node:os';
import { kedaContender, quickKedaContender } from './keda.ts';
import { measureContender, type ScalerFigures } from './scaler-measure.ts';
import { tsprovContender } from './scaler-tsprov.ts';

const COUNTS = [100, 1000, 5000];
/** From here on KEDA as it is installed has too few HPAs to be measured. */
const MANY = 5000;

const counts = process.argv.slice(2).map(Number);
const rows: ScalerFigures[] = [];
for (const count of counts.length > 0 ? counts : COUNTS) {
  for (const contender of [tsprovContender, count < MANY ? kedaContender : quickKedaContender]) {
    const missing = await contender.whyMissing();
    if (missing !== undefined) {
      process.stderr.write(`${contender.name}: ${missing}\n`);
      continue;
    }
    const figures = await measureContender(contender, count);
    rows.push(figures);
    process.stderr.write(`${renderRow(figures)}\n`);
    // Each time: what comes later may take long, and fail.
    await writeFile('docs/benchmarks-scaler.md', render(rows));
  }
}

function render(figures: readonly ScalerFigures[]): string {
  const cpu = cpus();
  return `# Benchmarks of the scaler

Made by \`npm run bench:scaler\` on ${cpu.length} cores, ${cpu[0]?.model ?? 'unknown'}, Node ${process.versions.node}, ${new Date().toISOString().slice(0, 10)}. etcd, kube-apiserver and kube-controller-manager (HPA sync period 15 s) run on the same machine, so their work takes part of it. Each ScaledObject has a Deployment of one replica and one \`metrics-api\` trigger on a local server, polled every 30 s. At rest: a minute after all HPAs exist. The metric is asked for through the API server, one request at a time, a thousand times; in turn with it an HPA, which the API server answers alone: what is slow there is slow without the scaler. KEDA holds itself to 20 requests per second: with 5,000 objects, of which it would have a twelfth when it is measured, it runs without that limit. The activation is the mean of ten, with half the polling interval of one second taken off: chance alone moves it by some 90 ms. Where not all HPAs exist within 300 s, the other figures are those of a scaler that has not yet got to the rest.

| objects | scaler | all HPAs after, s | memory, MiB | CPU at rest, % of a core | API requests at rest, per s | polls at rest, per s | metric p50, ms | p99, ms | API server's own p99, ms | activation beyond the interval, ms |
| ---: | --- | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: |
${figures.map(renderRow).join('\n')}
`;
}

function renderRow(row: ScalerFigures): string {
  const cells = [
    row.count,
    row.contender,
    row.hpasAfterMs === undefined
      ? `${row.hpas} of ${row.count} after 300`
      : (row.hpasAfterMs / 1000).toFixed(1),
    row.memoryMib.toFixed(0),
    row.cpuPercent.toFixed(1),
    row.requestsPerSecond.toFixed(1),
    row.pollsPerSecond.toFixed(1),
    row.metricP50Ms.toFixed(1),
    row.metricP99Ms.toFixed(1),
    row.serverP99Ms.toFixed(1),
    row.activationMs?.toFixed(0) ?? 'none within 60 s',
  ];
  return `| ${cells.join(' | ')} |`;
}
