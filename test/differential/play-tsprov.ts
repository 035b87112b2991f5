import { dirname } from 'node:path';
import { ansibleBin } from '../support/ansible.ts';
import { runTsprov } from '../support/tsprov.ts';
import { configuration } from './case.ts';
import { type Outcome, parseLines, type TaskResult } from './outcome.ts';

const TIMEOUT_MS = 600_000;

/** Members of the events of `--output jsonl` that are compared. */
interface Event {
  readonly _event: string;
  readonly name?: string;
  readonly task?: { readonly title: string; readonly action: string };
  readonly info?: {
    readonly host: string;
    readonly status: string;
    readonly ignored: boolean;
    readonly label?: string | null;
    readonly result: Record<string, unknown>;
  };
  readonly stats?: Outcome['recap'];
}

/** Plays a folder's play.yaml with tsprov. */
export async function playTsprov(
  folder: string,
  args: readonly string[],
  home: string,
): Promise<Outcome> {
  const command = ['play', '-i', 'inventory', 'play.yaml', '--output', 'jsonl', ...args];
  const env = {
    // Scripts of inventories and vaults may be Ansible's own programs.
    PATH: `${await ansibleBin()}:${dirname(process.execPath)}:${process.env['PATH']}`,
    HOME: home,
    LANG: 'C.UTF-8',
    // A node takes its time to greet where the computer is busy.
    ANSIBLE_TIMEOUT: '60',
    ...((await configuration(folder)) ? { ANSIBLE_CONFIG: `${folder}/ansible.cfg` } : {}),
  };
  const ended = await runTsprov(command, { cwd: folder, env, timeoutMs: TIMEOUT_MS });
  const lines = ended.stdout.split('\n').filter((line) => line.startsWith('{'));
  // The CLI's own format; its tests hold it to this shape.
  const events = parseLines(lines.join('\n')) as unknown as Event[];
  return {
    exitCode: ended.code,
    results: toResults(events),
    recap: events.find(({ _event }) => _event === 'recap')?.stats ?? {},
    output: ended.stderr + ended.stdout.slice(0, 2000),
  };
}

function toResults(events: readonly Event[]): TaskResult[] {
  let play = '';
  const results: TaskResult[] = [];
  for (const { _event, name, task, info } of events) {
    if (_event === 'play-start') play = name ?? '';
    if (task === undefined || info === undefined) continue;
    // The recap counts what was included.
    if (/include_(tasks|role)$/.test(task.action) && info.status === 'ok') continue;
    const { host, status, ignored, label, result } = info;
    results.push({
      play,
      task: task.title,
      host,
      item: label ?? undefined,
      status,
      ignored,
      result,
    });
  }
  return results;
}
