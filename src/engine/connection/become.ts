/** Becoming another user: what is run, what is asked and answered. */
import { TaskError } from '../../shared/errors.ts';
import { quote } from '../../shared/shell.ts';
import { splitWords } from '../../shared/shell-words.ts';
import { table } from '../../shared/table.ts';
import { refusalOf, silenceOf } from './become-failure.ts';
import type { Become } from './connection.ts';
import type { Dialogue } from './ready.ts';

interface Method {
  readonly defaultFlags: string;
  /** Flags that forbid to ask for a password: there to be dropped when we have one. */
  readonly silent: RegExp;
  command(exe: string, flags: string, become: Become, command: string, key: string): string;
  prompt(key: string, become: Become): RegExp;
  /** True for a program that asks for a password only on a terminal. */
  readonly asksOnTerminal: boolean;
}

const PASSWORD_PROMPT = /pass(word|phrase)[^\n]*: ?$/i;

/** One of the prompts, with a colon or the wide one; what is heard is bytes. */
function anyPrompt(prompts: readonly string[]): RegExp {
  const bytes = (text: string) => Buffer.from(text).toString('latin1');
  const words = prompts.map((each) => bytes(each).replace(/[\\^$.*+?()[\]{}|]/g, '\\$&'));
  return new RegExp(`(?:${words.join('|')}) ?(?::|${bytes('\uff1a')})`, 'i');
}

const sudoPrompt = (key: string) => `[sudo via tsprov, key=${key}] password:`;

const METHODS: Readonly<Record<string, Method>> = table({
  sudo: {
    defaultFlags: '-H -S -n',
    silent: /(^|\s)(-n|--non-interactive)(?=\s|$)/g,
    command: (exe, flags, { user, password }, command, key) => {
      const asking = /(^|\s)-\w*S/.test(flags) ? '' : ' -S';
      const prompt = password === undefined ? '' : `${asking} -p ${quote(sudoPrompt(key))}`;
      return `${exe} ${flags}${prompt} -u ${quote(user)} ${command}`;
    },
    prompt: (key) => new RegExp(sudoPrompt(key).replaceAll(/[[\]]/g, '\\$&')),
    asksOnTerminal: false,
  },
  su: {
    defaultFlags: '',
    silent: /(?!)/g,
    command: (exe, flags, { user }, command) =>
      `${exe} ${flags} ${quote(user)} -c ${quote(`exec ${command}`)}`,
    prompt: (_, { prompts }) => (prompts === undefined ? PASSWORD_PROMPT : anyPrompt(prompts)),
    asksOnTerminal: true,
  },
  doas: {
    defaultFlags: '-n',
    silent: /(^|\s)-n(?=\s|$)/g,
    command: (exe, flags, { user }, command) => `${exe} ${flags} -u ${quote(user)} ${command}`,
    prompt: () => PASSWORD_PROMPT,
    asksOnTerminal: true,
  },
});

function methodOf({ method }: Become): Method {
  const known = METHODS[method];
  if (known !== undefined) return known;
  throw new TaskError(`The become method "${method}" is not supported.`, {
    hint: `set become_method to one of ${Object.keys(METHODS).join(', ')}`,
  });
}

/**
 * The command line that turns into `command` (shell words) as another user. `key` marks the password prompt as ours.
 * The password itself is never part of it. Throws TaskError for a method that we do not have.
 */
export function becomeCommand(become: Become, command: string, key: string): string {
  const method = methodOf(become);
  const flags = become.flags ?? method.defaultFlags;
  const asking = become.password === undefined ? flags : flags.replace(method.silent, '');
  const [exe, options] = [
    words('become_exe', become.exe ?? become.method),
    words('become_flags', asking),
  ];
  if (become.user.startsWith('-')) {
    throw new TaskError(`"${become.user}" is not the name of a user.`, {
      hint: 'correct become_user',
    });
  }
  const enter = become.chdir === undefined ? '' : `cd -- ${quote(become.chdir)} && `;
  // Messages are told apart by their English words.
  return `${enter}exec env LC_ALL=C ${method.command(exe, options, become, command, key)}`;
}

/** Words of a setting as a shell reads them back: nothing in them is run, and only `~/` means something. */
function words(setting: string, text: string): string {
  try {
    return splitWords(text)
      .map((word) => (word.startsWith('~/') ? `~/${quote(word.slice(2))}` : quote(word)))
      .join(' ');
  } catch (error) {
    throw new TaskError(`${setting} "${text}" cannot be split into words: ${String(error)}`, {
      hint: `close the quote in ${setting}`,
    });
  }
}

/** True where the password can only be given on a terminal. */
export function needsTerminal(become: Become): boolean {
  return become.password !== undefined && methodOf(become).asksOnTerminal;
}

/** True where a program said that it wants a terminal. */
export function wantsTerminal(error: unknown): boolean {
  return (
    error instanceof TaskError &&
    /must have a tty|must be run from a terminal|tty is required|no tty present/.test(error.message)
  );
}

/** The dialogue with a program on the host `name`. */
export function becomeDialogue(become: Become, key: string, name: string): Dialogue {
  // Only with a password do we choose the words of the prompt.
  const prompt =
    become.password === undefined ? PASSWORD_PROMPT : methodOf(become).prompt(key, become);
  const refusal = (text: string, reason: string) => refusalOf(become, name, text, reason);
  let asked = false;
  return {
    hear(text) {
      if (/required to change your password|password (has )?expired/i.test(text))
        throw refusal(text, '');
      if (!prompt.test(text.replaceAll('\r', ''))) return undefined;
      if (become.password === undefined) throw refusal('a password is required', '');
      if (asked) throw refusal('incorrect password', '');
      asked = true;
      return `${become.password}\n`;
    },
    refusal,
    silence: (text, seconds) => silenceOf(become, name, text, seconds),
  };
}
