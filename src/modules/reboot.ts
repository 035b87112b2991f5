import {
  type Conversation,
  defineConversation,
  run,
  TaskError,
  type TextOutput,
} from '../engine/module.ts';
import { type Infer, integer, list, number, object, optional, string } from '../shared/schema.ts';
import { type Command, givenScript, inlined, joinCommands, sh } from '../shared/shell.ts';
import { splitWords } from '../shared/shell-words.ts';
import { reasonOf, retry } from './support/come-back.ts';

const BOOT_ID = '/proc/sys/kernel/random/boot_id';

const args = object({
  pre_reboot_delay: number('Seconds until the host goes down; whole minutes count.', {
    default: 0,
    aliases: ['pre_reboot_delay_sec'],
  }),
  post_reboot_delay: number('Seconds to wait after the host answers.', {
    default: 0,
    aliases: ['post_reboot_delay_sec'],
  }),
  reboot_timeout: integer('Seconds until the host has to answer, and again for `test_command`.', {
    default: 600,
    aliases: ['reboot_timeout_sec'],
  }),
  connect_timeout: optional(
    integer('Seconds for one attempt to connect.', { aliases: ['connect_timeout_sec'] }),
  ),
  test_command: string('Command that has to succeed before the task goes on.', {
    default: 'whoami',
  }),
  msg: string('What users of the host are told.', { default: 'Reboot initiated by Ansible' }),
  search_paths: list(string('A directory.'), 'Where the command for the restart is looked for.', {
    default: ['/sbin', '/bin', '/usr/sbin', '/usr/bin', '/usr/local/sbin'],
  }),
  boot_time_command: string('Command that prints something else after a restart.', {
    default: `cat ${BOOT_ID}`,
  }),
  reboot_command: optional(string('Command that restarts the host, instead of `shutdown -r`.')),
});
type Args = Infer<typeof args>;

export const reboot = defineConversation({
  name: 'reboot',
  aliases: ['ansible.builtin.reboot'],
  summary: 'Restart a host and wait until it is back.',
  args,

  examples: [
    { title: 'Restart', args: {} },
    { title: 'Restart a slow machine', args: { reboot_timeout: 1800, post_reboot_delay: 30 } },
  ],

  returns: {
    rebooted: 'Whether the host was restarted.',
    elapsed: 'Seconds that it took.',
  },

  resultInCheckMode: () => ({ changed: true, rebooted: true, elapsed: 0 }),

  async run(talk, given) {
    const start = Date.now();
    const elapsed = () => Math.floor((Date.now() - start) / 1000);
    const before = await bootId(talk, given);
    if (before.code !== 0) throw noBootId(before);
    if (runsHere(talk, before.stdout)) {
      const message = 'Running reboot with local connection would reboot the control node.';
      throw new TaskError(message, { result: { rebooted: false, elapsed: 0 } });
    }
    await goDown(talk, given);
    const limit = given.reboot_timeout;
    const absence = await awaitRestart(talk, given, before.stdout);
    if (absence !== undefined) {
      throw new TaskError(
        `Timed out waiting for last boot time check (timeout=${limit}): ${absence}`,
        {
          result: { rebooted: false, elapsed: elapsed() },
        },
      );
    }
    if (given.post_reboot_delay > 0) await talk.sleep(given.post_reboot_delay * 1000);
    const trouble = await awaitTestCommand(talk, given);
    if (trouble !== undefined) {
      throw new TaskError(
        `Timed out waiting for post-reboot test command (timeout=${limit}): ${trouble}`,
        {
          result: { rebooted: true, elapsed: elapsed() },
        },
      );
    }
    return { result: { changed: true, rebooted: true, elapsed: elapsed() } };
  },
});

function bootId({ host }: Conversation, { boot_time_command: command }: Args): Promise<TextOutput> {
  return host.read(inlined(givenScript(command)));
}

function noBootId({ code, stdout, stderr }: TextOutput): TaskError {
  return new TaskError(
    `reboot: failed to get host boot time info, rc: ${code}, stdout: ${stdout.trim()}, stderr: ${stderr.trim()}`,
    { result: { rebooted: false, elapsed: 0 } },
  );
}

/** Whether the host is the machine that this run itself is on, however it is reached. */
function runsHere({ controller, variable }: Conversation, id: string): boolean {
  if (variable('ansible_connection') === 'local') return true;
  try {
    return controller.readFile(BOOT_ID).toString().trim() === id.trim();
  } catch {
    return false; // A controller that has no such file runs no Linux.
  }
}

/** Gives the command for the restart. The host may be gone before it can answer. */
async function goDown({ host }: Conversation, given: Args): Promise<void> {
  const step = run(restartCommand(given), { accept: 'any', always: true });
  const output = await host.perform(step).catch(reasonOf);
  if (typeof output === 'string' || output.code === 0) return;
  throw new TaskError(
    `Reboot command failed. Error was: '${output.stdout.trim()}, ${output.stderr.trim()}'`,
    { result: { rebooted: false } },
  );
}

function restartCommand(given: Args): Command {
  const { reboot_command: custom, search_paths: paths, pre_reboot_delay: delay, msg } = given;
  const [program = '', ...words] =
    custom === undefined
      ? ['shutdown', '-r', String(Math.max(0, Math.floor(delay / 60))), msg]
      : splitWords(custom);
  const fallback =
    custom === undefined ? sh`command -v systemctl >/dev/null && exec systemctl reboot` : sh`:`;
  const places = program.includes('/') ? [program] : paths.map((each) => `${each}/${program}`);
  const searched = `[${paths.map((each) => `'${each}'`).join(', ')}]`;
  return joinCommands(
    [
      sh`for p in ${places}; do if [ -x "$p" ]; then exec "$p" ${words}; fi; done`,
      fallback,
      sh`echo ${`Unable to find command "${program}" in search paths: ${searched}`} >&2; exit 1`,
    ],
    '\n',
  );
}

/** Undefined when the host has come back, else what is wrong with it. */
function awaitRestart(
  talk: Conversation,
  given: Args,
  before: string,
): Promise<string | undefined> {
  const { connect_timeout: seconds, reboot_timeout: timeout, pre_reboot_delay: delay } = given;
  const deadline = Date.now() + (timeout + delay) * 1000;
  return retry(talk, { deadline, pauseMs: growing }, async () => {
    await talk.reconnect(seconds === undefined ? {} : { timeoutMs: seconds * 1000 });
    const now = await bootId(talk, given);
    if (now.code !== 0) return now.stderr.trim() || `exit code ${now.code}`;
    return now.stdout !== before || 'the host has not gone down';
  });
}

function awaitTestCommand(talk: Conversation, given: Args): Promise<string | undefined> {
  const deadline = Date.now() + given.reboot_timeout * 1000;
  return retry(talk, { deadline, pauseMs: growing }, async () => {
    const { code, stdout, stderr } = await talk.host.read(inlined(givenScript(given.test_command)));
    return code === 0 || stderr.trim() || stdout.trim() || `exit code ${code}`;
  });
}

/** 1, 2, 4, 8, then 12 seconds. */
function growing(attempt: number): number {
  return Math.min(2 ** attempt, 12) * 1000;
}
