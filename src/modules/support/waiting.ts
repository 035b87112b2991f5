/** The loops of wait_for. Each goes on on the host itself for some seconds, then asks the controller again. */
import { type Conversation, TaskError, type TextOutput } from '../../engine/module.ts';
import type { PythonRegex } from '../../shared/python-regex.ts';
import { type Command, sh } from '../../shared/shell.ts';
import { awaitPort, NO_TOOL, type Port, readBanner, repeat } from './port-probe.ts';
import { countConnections } from './tcp-table.ts';

/** What a pattern matched; empty where none is asked for. */
export interface Match {
  readonly groups: readonly (string | null)[];
  readonly named: Readonly<Record<string, string | null>>;
}

interface Wait {
  readonly pattern: PythonRegex | undefined;
  /** When to give up, in milliseconds since the epoch. */
  readonly deadline: number;
  /** Seconds between two looks. */
  readonly sleep: number;
}

const NOTHING: Match = { groups: [], named: {} };

/** Longest time that one script runs, so that an interruption does not have to wait long. */
const STRETCH_SECONDS = 10;

/** Waits until a file is there (and matches), or is not there. Undefined when time is up. */
export async function waitForPath(
  talk: Conversation,
  { file, isThere, ...wait }: Wait & { readonly file: string; readonly isThere: boolean },
): Promise<Match | undefined> {
  if (isThere && wait.pattern !== undefined) return waitForContent(talk, file, wait);
  const check = isThere ? sh`[ -e ${file} ]` : sh`! [ -e ${file} ]`;
  return untilZero(talk, wait, (seconds) => repeat(check, { seconds, sleep: wait.sleep }));
}

/** Waits until a port answers (and says something that matches), or does not answer. Undefined when time is up. */
export async function waitForPort(
  talk: Conversation,
  { target, isThere, ...wait }: Wait & { readonly target: Port; readonly isThere: boolean },
): Promise<Match | undefined> {
  if (isThere && wait.pattern !== undefined) return waitForBanner(talk, target, wait);
  const wanted = isThere ? 'open' : 'closed';
  return untilZero(talk, wait, (seconds) =>
    awaitPort(target, wanted, { seconds, sleep: wait.sleep }),
  );
}

/** Waits until no connection to a port is left. Undefined when time is up. */
export async function waitUntilDrained(
  talk: Conversation,
  wait: Wait & {
    readonly target: Port;
    readonly excluded: readonly string[];
    readonly states: readonly string[];
  },
): Promise<Match | undefined> {
  const { target, states } = wait;
  const resolve = (name: string) => resolveName(talk, name);
  const addresses = await resolve(target.host);
  const excluded = (await Promise.all(wait.excluded.map(resolve))).flat();
  return untilMatch(talk, wait, async () => {
    const { stdout } = await talk.host.read(sh`cat /proc/net/tcp /proc/net/tcp6 2>/dev/null`);
    const count = countConnections(stdout, { port: target.port, addresses, excluded, states });
    return count === 0 ? NOTHING : undefined;
  });
}

async function resolveName({ host }: Conversation, name: string): Promise<string[]> {
  if (/^[\d.]+$/.test(name) || name.includes(':')) return [name];
  const { stdout } = await host.read(sh`getent ahosts ${name}`);
  const found = stdout.split('\n').map((line) => line.split(/\s/)[0] ?? '');
  return [...new Set(found.filter((each) => each !== ''))];
}

/** The file is sent only where its size or time of change is another than at the last look. */
async function waitForContent(
  talk: Conversation,
  file: string,
  wait: Wait,
): Promise<Match | undefined> {
  let seen = 'never';
  return untilMatch(talk, wait, async () => {
    const { stdout } =
      await talk.host.read(sh`s=$(stat -Lc '%s %Y %i' -- ${file} 2>/dev/null) || exit 1
[ "$s" = ${seen} ] || { printf '%s\n' "$s"; cat -- ${file}; }`);
    const end = stdout.indexOf('\n');
    if (end < 0) return undefined;
    seen = stdout.slice(0, end);
    return search(wait.pattern, stdout.slice(end + 1));
  });
}

/** Waits for what the port says for 1, 2, 4 … seconds, at most for the time for connecting. */
async function waitForBanner(
  talk: Conversation,
  target: Port,
  wait: Wait,
): Promise<Match | undefined> {
  let looks = 0;
  return untilMatch(talk, wait, async () => {
    const seconds = Math.min(2 ** looks, target.connectTimeout);
    const script = readBanner(target, seconds, looks === 0 ? 'first' : 'later');
    looks++;
    const output = await talk.host.read(script);
    checkTool(output);
    return output.code === 0 ? search(wait.pattern, output.stdout) : undefined;
  });
}

function search(pattern: PythonRegex | undefined, text: string): Match | undefined {
  const found = pattern?.search(text);
  if (found === undefined) return undefined;
  const named = [...found.named].map(([name, value]) => [name, value ?? null] as const);
  const groups = found.groups.slice(1).map((each) => each ?? null);
  return { groups, named: Object.fromEntries(named) };
}

/** Looks from here, once in `sleep` seconds. */
async function untilMatch(
  talk: Conversation,
  { deadline, sleep }: Wait,
  look: () => Promise<Match | undefined>,
): Promise<Match | undefined> {
  for (;;) {
    const found = await look();
    if (found !== undefined || Date.now() >= deadline) return found;
    await talk.sleep(Math.min(sleep * 1000, Math.max(0, deadline - Date.now())));
  }
}

/** Has the host look, for some seconds at a time. */
async function untilZero(
  talk: Conversation,
  { deadline }: Wait,
  script: (seconds: number) => Command,
): Promise<Match | undefined> {
  for (;;) {
    const left = Math.max(0, Math.ceil((deadline - Date.now()) / 1000));
    const output = await talk.host.read(script(Math.min(left, STRETCH_SECONDS)));
    checkTool(output);
    if (output.code === 0) return NOTHING;
    if (Date.now() >= deadline) return undefined;
    talk.signal.throwIfAborted();
  }
}

function checkTool({ code }: TextOutput): void {
  if (code !== NO_TOOL) return;
  throw new TaskError('the host has no program to connect to a port with', {
    hint: 'install bash or nc on it, or delegate the task to localhost',
  });
}
