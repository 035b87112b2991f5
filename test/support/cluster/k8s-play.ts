/** Plays of single tasks on a control plane of the test's, by the program that users start. */
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { stringify } from 'yaml';
import { runTsprov } from '../tsprov.ts';

export interface PlayedTask {
  readonly title: string;
  readonly status: 'ok' | 'changed' | 'failed' | 'skipped' | 'unreachable';
  readonly result: Readonly<Record<string, unknown>>;
}

export interface PlayedTasks {
  readonly tasks: readonly PlayedTask[];
  /** Titles of the tasks that changed something, or would have. */
  readonly changed: readonly string[];
  /** The message of the task that failed; empty where none did. */
  readonly problem: string;
  /** All that the program printed. */
  readonly output: string;
}

export interface TaskOptions {
  readonly words?: readonly string[];
  /** Files beside the playbook, by their paths. */
  readonly files?: Readonly<Record<string, string>>;
}

/** Plays tasks, each a mapping as in playbooks, on this machine. */
export async function playTasks(
  tasks: readonly object[],
  { words = [], files = {} }: TaskOptions = {},
): Promise<PlayedTasks> {
  const folder = await mkdtemp(join(tmpdir(), 'k8s-play-'));
  const play = [{ name: 'k8s', hosts: 'localhost', gather_facts: false, tasks }];
  try {
    for (const [name, text] of Object.entries({ ...files, 'play.yaml': stringify(play) })) {
      await mkdir(dirname(join(folder, name)), { recursive: true });
      await writeFile(join(folder, name), text);
    }
    return await playFile(join(folder, 'play.yaml'), words);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/** Plays a playbook on this machine. */
export async function playFile(file: string, words: readonly string[]): Promise<PlayedTasks> {
  const local = ['-i', 'localhost,', '-c', 'local', '--output', 'jsonl'];
  const { stdout, stderr } = await runTsprov(['play', file, ...local, ...words], {
    cwd: dirname(file),
  });
  const lines = stdout.split('\n').filter((line) => line.startsWith('{'));
  const tasks = lines.flatMap((line) => taskOf(JSON.parse(line) as Event)); // The program's own format.
  const failed = tasks.filter(({ status }) => status === 'failed' || status === 'unreachable');
  return {
    tasks,
    changed: tasks.filter(({ status }) => status === 'changed').map(({ title }) => title),
    problem: failed.map(({ result }) => String(result['msg'])).join('\n') || stderr,
    output: stdout + stderr,
  };
}

/** Members of the events of `--output jsonl` that tell of tasks. */
interface Event {
  readonly _event: string;
  readonly task?: { readonly title: string };
  readonly info?: Pick<PlayedTask, 'status' | 'result'>;
}

function taskOf({ _event, task, info }: Event): PlayedTask[] {
  if (_event !== 'result' || task === undefined || info === undefined) return [];
  return [{ title: task.title, status: info.status, result: info.result }];
}
