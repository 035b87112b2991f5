/** Becoming another user: what is run, what is asked, what is answered, what can go wrong. */
import { TaskError } from '../../shared/errors.ts';
import { quote } from '../../shared/shell.ts';
import type { Become } from './connection.ts';

/** The conversation with sudo, su or doas until the shell is ready. */
export interface BecomeDialogue {
  /** What to type in answer to the text so far. Throws TaskError when it is a refusal. */
  hear(text: string): string | undefined;
  /** The error for a program that ended with this text. */
  refusal(text: string, reason: string): TaskError;
  /** The error for a program that says nothing more. */
  silence(text: string, seconds: number): TaskError;
}

/** The command line that runs `command` (shell words) as another user. `key` marks the password prompt as ours. */
export function becomeCommand(become: Become, command: string, key: string): string {
  const { exe = become.method, user, password } = become;
  const flags = becomeFlags(become);
  if (become.method === 'sudo') {
    const prompt = password === undefined ? '' : ` -p ${quote(sudoPrompt(key))}`;
    return `${exe} ${flags}${prompt} -u ${quote(user)} ${command}`;
  }
  return `${exe} ${flags} ${quote(user)} -c ${quote(`exec ${command}`)}`;
}

function becomeFlags({ flags, password }: Become): string {
  const words = flags ?? '-H -S -n';
  return password === undefined
    ? words
    : words.replace(/(^|\s)(-n|--non-interactive)(?=\s|$)/g, '');
}

const sudoPrompt = (key: string) => `[sudo via tsprov, key=${key}] password:`;

/** The dialogue of a method. */
export function becomeDialogue(become: Become, key: string): BecomeDialogue {
  let asked = false;
  return {
    hear(text) {
      if (!text.includes(sudoPrompt(key))) return undefined;
      if (asked) throw new TaskError(`Incorrect ${become.method} password`);
      asked = true;
      return `${become.password}\n`;
    },
    refusal: (text, reason) => new TaskError(`${become.method}: ${text || reason}`),
    silence: (_text, seconds) =>
      new TaskError(`${become.method} did not answer within ${seconds} seconds`),
  };
}
