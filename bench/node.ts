/**
 * `npm run bench:node`: what preparing a machine as a cluster node costs on the wire and in time, on an emulated machine
 * with a kernel of its own. Needs root, a Go toolchain and a quarter of an hour.
 */
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { cpus, tmpdir } from 'node:os';
import { join } from 'node:path';
import { startCountingProxy, type Traffic } from '../test/support/counting-proxy.ts';
import { startDelayProxy } from '../test/support/delay-proxy.ts';
import { behind } from '../test/support/nodes/behind.ts';
import { startQemuNode } from '../test/support/nodes/qemu.ts';
import { CONTAINERD_2 } from '../test/support/releases/components.ts';
import { startReleaseServer } from '../test/support/releases/release-server.ts';
import { publishUpstream } from '../test/support/releases/upstream.ts';
import { REPOSITORY, tsprovProgram } from '../test/support/tsprov.ts';
import type { Target } from './contenders.ts';
import { type Cost, measure } from './measure.ts';

interface Figures extends Cost, Traffic {
  readonly name: string;
}

const ROUND_TRIP_MS = 50;
/** An emulated machine is slow. */
const LIMIT_MS = 1_800_000;
const print = (text: string) => process.stdout.write(`${text}\n`);

const folder = await mkdtemp(join(tmpdir(), 'tb-node-'));
const server = await startReleaseServer();
await publishUpstream(server, CONTAINERD_2);
const node = await startQemuNode({ name: 'bench' });
try {
  const delayed = await startDelayProxy({ host: node.address, port: node.port }, ROUND_TRIP_MS);
  const far = await behind(node, delayed.port, folder);
  const page = renderPage([
    await run('first run', node),
    await run('converged', node),
    await run(`converged, ${ROUND_TRIP_MS} ms round trip`, far),
  ]);
  await writeFile(join(REPOSITORY, 'docs/benchmarks-node.md'), page);
  print(page);
} finally {
  await node.stop();
  await server.close();
  await rm(folder, { recursive: true, force: true });
}
// Proxies hold the loop.
process.exit();

async function run(name: string, target: Target): Promise<Figures> {
  const proxy = await startCountingProxy({ host: target.address, port: target.port });
  const counted = await behind(target, proxy.port, folder);
  await writeFile(join(folder, 'hosts.json'), JSON.stringify(inventory(counted)));
  const playbook = join(REPOSITORY, 'playbooks/prepare-node.yaml');
  const words = [await tsprovProgram(), 'play', playbook, '-i', 'hosts.json'];
  const env = { PATH: process.env['PATH'], HOME: folder, LANG: 'C.UTF-8' };
  const cost = await measure({ command: [process.execPath, ...words], cwd: folder, env }, LIMIT_MS);
  const figures = { name, ...cost, ...proxy.traffic() };
  print(JSON.stringify(figures));
  await proxy.close();
  return figures;
}

function inventory({ address, port, keyFile, knownHostsFile }: Target) {
  const host = {
    ansible_host: address,
    ansible_port: port,
    ansible_user: 'root',
    ansible_ssh_private_key_file: keyFile,
    ansible_ssh_common_args: `-o UserKnownHostsFile=${knownHostsFile}`,
  };
  const vars = {
    pod_cidr: '10.85.7.0/24',
    files_repo: server.url,
    release_cache: join(folder, 'cache'),
    // The sums of the true crictl are not those of the program that stands in for it.
    crictl_checksums: {},
    allow_reboot: false,
  };
  return { all: { hosts: { bench: host }, vars } };
}

function renderPage(rows: readonly Figures[]): string {
  const lines = rows.map(
    ({ name, wallMs, cpuMs, peakMib, roundTrips, bytesUp, bytesDown }) =>
      `| ${name} | ${(wallMs / 1000).toFixed(1)} | ${roundTrips} | ${kib(bytesUp)} | ${kib(bytesDown)} | ${(cpuMs / 1000).toFixed(2)} | ${peakMib.toFixed(0)} |`,
  );
  return [
    '# Cost of preparing a node',
    '',
    `Made by \`npm run bench:node\` on ${cpus().length} cores, ${cpus()[0]?.model ?? 'unknown'}, Node ${process.versions.node}, ${new Date().toISOString().slice(0, 10)}: \`playbooks/prepare-node.yaml\` with containerd, BuildKit, tools and network plugins from a release server on the same machine, on a Debian machine that QEMU emulates without hardware help, so that its own work is many times slower than on a real one. Round trips are those on the wire, with the connection's own.`,
    '',
    '| run | seconds | round trips | KiB up | KiB down | controller CPU, seconds | peak memory, MiB |',
    '| --- | ---: | ---: | ---: | ---: | ---: | ---: |',
    ...lines,
    '',
  ].join('\n');
}

function kib(bytes: number): string {
  return (bytes / 1024).toFixed(0);
}
