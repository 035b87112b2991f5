import { spawn } from 'node:child_process';
import { readdir, readFile } from 'node:fs/promises';

/** What one run of a program cost the controller. */
export interface Cost {
  readonly wallMs: number;
  /** User and system time of the program and every child that it waited for. */
  readonly cpuMs: number;
  /** Highest proportional memory of all its processes together, sampled. */
  readonly peakMib: number;
}

export interface Program {
  readonly command: readonly [string, ...string[]];
  readonly cwd: string;
  readonly env: NodeJS.ProcessEnv;
}

const SAMPLE_EVERY_MS = 100;
/** Longer than this nobody waits for a measurement, unless it says so. */
export const LIMIT_MS = 300_000;

/** The program was still running when its time was up, and was ended. */
export class TooSlow extends Error {}

/** Runs a program to its end. Throws with the end of its output where it fails. */
export async function measure(
  { command, cwd, env }: Program,
  limitMs: number = LIMIT_MS,
): Promise<Cost> {
  // bash prints the times of what it ran as the last line.
  const script = 'TIMEFORMAT="times %R %U %S"; time "$@"';
  const child = spawn('bash', ['-c', script, 'bash', ...command], { cwd, env, detached: true });
  const output: Buffer[] = [];
  for (const stream of [child.stdout, child.stderr]) {
    stream.on('data', (chunk: Buffer) => output.push(chunk));
  }
  child.stdin.end();
  let peakMib = 0;
  const sample = async () => {
    peakMib = Math.max(peakMib, await memoryOf(child.pid ?? 0));
  };
  const timer = setInterval(() => void sample(), SAMPLE_EVERY_MS);
  let late = false;
  const limit = setTimeout(() => {
    late = true;
    process.kill(-(child.pid ?? 0), 'SIGKILL');
  }, limitMs);
  // `exit`, not `close`: a connection kept open in the background holds the pipes.
  const code = await new Promise<number | null>((resolve) => child.on('exit', resolve));
  clearInterval(timer);
  clearTimeout(limit);
  if (late) throw new TooSlow(`still running after ${limitMs / 1000} s`);
  const text = Buffer.concat(output).toString();
  const times = /times ([\d.]+) ([\d.]+) ([\d.]+)/.exec(text);
  if (code !== 0 || !times) {
    throw new Error(`${command.join(' ')} ended with ${code}: ${text.slice(-3000)}`);
  }
  const [wall = 0, user = 0, system = 0] = times.slice(1).map((seconds) => Number(seconds) * 1000);
  return { wallMs: wall, cpuMs: user + system, peakMib };
}

/** Proportional memory of every process of a session. */
async function memoryOf(session: number): Promise<number> {
  const pids = (await readdir('/proc')).filter((name) => /^\d+$/.test(name));
  const sizes = await Promise.all(pids.map((pid) => sizeIn(pid, session)));
  return sizes.reduce((sum, size) => sum + size, 0) / 1024;
}

async function sizeIn(pid: string, session: number): Promise<number> {
  // A process may end while it is looked at.
  const stat = await readFile(`/proc/${pid}/stat`, 'utf8').catch(() => '');
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  if (Number(fields[3]) !== session) return 0;
  const rollup = await readFile(`/proc/${pid}/smaps_rollup`, 'utf8').catch(() => '');
  return Number(/^Pss:\s+(\d+)/m.exec(rollup)?.[1] ?? 0);
}
