/**
 * `npm run bench:engine [-- WORDS]`: tsprov beside its peers on the same nodes, in turn; only scenarios whose name has
 * the words, if any are given. Needs root and half an hour.
 */
import { appendFile, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startCountingProxy } from '../test/support/counting-proxy.ts';
import { startDelayProxy } from '../test/support/delay-proxy.ts';
import { behind } from '../test/support/nodes/behind.ts';
import { type NspawnNode, startNode } from '../test/support/nodes/nspawn.ts';
import { REPOSITORY } from '../test/support/tsprov.ts';
import { type Contender, contenders, type Target } from './contenders.ts';
import { type Cost, measure } from './measure.ts';
import { type Row, renderReport } from './report.ts';

/** One way to meet the workload. */
interface Scenario {
  readonly name: string;
  readonly targets: readonly Target[];
  /** Whether the state is removed before each run, so that everything is to be made. */
  readonly fresh?: boolean;
  readonly runs: number;
}

const REAL_NODES = 10;
const NAMED_HOSTS = 100;
const ROUND_TRIP_MS = 50;
const print = (text: string) => process.stdout.write(`${text}\n`);

const folder = await mkdtemp(join(tmpdir(), 'tb-'));
const nodes = await startNodes();
try {
  const wanted = process.argv.slice(2).join(' ');
  const trips = await countRoundTrips();
  const chosen = (await scenarios()).filter(({ name }) => name.includes(wanted));
  const rows = await race(chosen, trips);
  print(renderReport(rows, trips));
} finally {
  await Promise.all(nodes.map((node) => node.stop()));
  await rm(folder, { recursive: true, force: true });
}
// Proxies and kept connections hold the loop.
process.exit();

async function startNodes(): Promise<NspawnNode[]> {
  const started: NspawnNode[] = [];
  for (let i = 0; i < REAL_NODES; i++)
    started.push(await startNode({ name: `b${i}`, python: true }));
  return started;
}

async function scenarios(): Promise<Scenario[]> {
  const first = target(at(0), 'one');
  const delayed = await startDelayProxy({ host: first.address, port: first.port }, ROUND_TRIP_MS);
  return [
    { name: '1 host, first run', targets: [first], fresh: true, runs: 1 },
    { name: '1 host, converged', targets: [first], runs: 3 },
    {
      name: `1 host, converged, ${ROUND_TRIP_MS} ms round trip`,
      targets: [await behind(first, delayed.port, folder)],
      runs: 1,
    },
    {
      name: `${REAL_NODES} nodes, converged`,
      targets: nodes.map((node, i) => target(node, `n${i}`)),
      runs: 1,
    },
    {
      name: `${NAMED_HOSTS} hosts (addresses of one node), converged`,
      targets: await manyNames(at(1)),
      runs: 1,
    },
  ];
}

function at(index: number): NspawnNode {
  const node = nodes[index];
  if (node === undefined) throw new Error(`node ${index} was not started`);
  return node;
}

function target(node: NspawnNode, name: string): Target {
  return { ...node, name };
}

/** Gives one node a hundred addresses more. */
async function manyNames(node: NspawnNode): Promise<Target[]> {
  const prefix = node.address.replace(/\.\d+$/, '');
  const addresses = Array.from({ length: NAMED_HOSTS }, (_, i) => `${prefix}.${100 + i}`);
  await node.exec('echo "MaxStartups 500" >> /etc/ssh/sshd_config; systemctl restart ssh');
  await node.exec(addresses.map((address) => `ip addr add ${address}/24 dev host0`).join('; '));
  const keys = await readFile(node.knownHostsFile, 'utf8');
  for (const address of addresses) {
    await appendFile(node.knownHostsFile, keys.replaceAll(node.address, address));
  }
  return addresses.map((address, i) => ({ ...target(node, `h${i}`), address }));
}

async function race(scenarios: readonly Scenario[], trips: readonly string[]): Promise<Row[]> {
  const rows: Row[] = [];
  for (const scenario of scenarios) {
    const list = await contenders();
    if (!scenario.fresh) await converge(list, scenario);
    for (const contender of list) {
      const cost = await best(contender, scenario).catch((error: Error) => error);
      print(
        `${scenario.name} | ${contender.name} | ${cost instanceof Error ? cost.message : JSON.stringify(cost)}`,
      );
      rows.push({ scenario: scenario.name, contender: contender.name, cost });
      // A long run that is broken off leaves what it has measured.
      await writeReport(rows, trips);
    }
  }
  return rows;
}

function writeReport(rows: readonly Row[], trips: readonly string[]): Promise<void> {
  return writeFile(join(REPOSITORY, 'docs/benchmarks.md'), renderReport(rows, trips));
}

async function clean(): Promise<void> {
  await Promise.all(nodes.map((node) => node.exec('rm -rf /tmp/bench; mkdir /tmp/bench')));
}

/** Brings the targets to the state that every contender then finds. */
async function converge([first]: readonly Contender[], { targets }: Scenario): Promise<void> {
  await clean();
  const program = await first?.prepare(join(folder, 'converge'), targets);
  if (program) await measure(program);
}

/** The fastest of the scenario's runs. */
async function best(contender: Contender, { name, targets, fresh, runs }: Scenario): Promise<Cost> {
  const place = join(folder, `${name} ${contender.name}`.replace(/\W+/g, '-'));
  const program = await contender.prepare(place, targets);
  const costs: Cost[] = [];
  for (let run = 0; run < runs; run++) {
    if (fresh) await clean();
    costs.push(await measure(program));
  }
  return costs.reduce((left, right) => (right.wallMs < left.wallMs ? right : left));
}

/** Round trips on the wire of a converged play, the connection's own included. */
async function countRoundTrips(): Promise<string[]> {
  const host = target(at(0), 'counted');
  const proxy = await startCountingProxy({ host: host.address, port: host.port });
  const counted = await behind(host, proxy.port, folder);
  const lines: string[] = [];
  for (const contender of await contenders()) {
    const program = await contender.prepare(
      join(folder, `trips-${contender.name.replace(/\W+/g, '-')}`),
      [counted],
    );
    await measure(program).catch(() => undefined);
    proxy.reset();
    const done = await measure(program).then(
      () => true,
      () => false,
    );
    const { roundTrips, bytesUp, bytesDown } = proxy.traffic();
    const kib = ((bytesUp + bytesDown) / 1024).toFixed(0);
    lines.push(`| ${contender.name} | ${done ? roundTrips : 'failed'} | ${kib} |`);
  }
  await proxy.close();
  return lines;
}
