import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { TestNode } from './nodes/node.ts';
import { REPOSITORY, runTsprov } from './tsprov.ts';

/** What a play came to. */
export interface PlayRun {
  readonly code: number;
  /** Everything that was printed. */
  readonly text: string;
  /** `task` or `task (item)` of everything that was or would be changed, in order. */
  readonly changed: readonly string[];
  readonly frames: number;
}

interface Event {
  readonly _event: string;
  readonly task?: { readonly title: string };
  readonly looped?: boolean;
  readonly frames?: Readonly<Record<string, number>>;
  readonly info?: { readonly status: string; readonly label?: string | null };
}

const TIMEOUT_MS = 1_200_000;

/** Plays a playbook of the repository, or any by its absolute path, on nodes over SSH. */
export async function playOn(
  nodes: TestNode | readonly TestNode[],
  folder: string,
  playbook: string,
  args: readonly string[] = [],
): Promise<PlayRun> {
  const inventory = join(folder, 'inventory.ini');
  await writeFile(inventory, [nodes].flat().map(inventoryLine).join(''));
  const command = ['play', playbook, '-i', inventory, '--output', 'jsonl', ...args];
  const ended = await runTsprov(command, { cwd: REPOSITORY, timeoutMs: TIMEOUT_MS });
  const events = ended.stdout.split('\n').flatMap(parseEvent);
  const recap = events.find(({ _event }) => _event === 'recap');
  return {
    code: ended.code,
    text: ended.stderr + ended.stdout,
    changed: events.flatMap(changeIn),
    frames: Object.values(recap?.frames ?? {}).reduce((sum, each) => sum + each, 0),
  };
}

function parseEvent(line: string): Event[] {
  return line.startsWith('{') ? [JSON.parse(line) as Event] : []; // The CLI's own format.
}

function changeIn({ _event, task, info, looped }: Event): string[] {
  const counts = _event === 'item' || (_event === 'result' && looped !== true);
  if (!counts || info?.status !== 'changed') return [];
  const item = typeof info.label === 'string' ? ` (${info.label})` : '';
  return [`${task?.title}${item}`];
}

function inventoryLine({ name, address, port, keyFile, knownHostsFile }: TestNode): string {
  const variables = {
    ansible_host: address,
    ansible_port: String(port),
    ansible_user: 'root',
    // An emulated machine takes its time to greet.
    ansible_timeout: '60',
    ansible_ssh_private_key_file: keyFile,
    ansible_ssh_common_args: `'-o UserKnownHostsFile=${knownHostsFile}'`,
  };
  const words = Object.entries(variables).map(([key, value]) => `${key}=${value}`);
  return `${name} ${words.join(' ')}\n`;
}
