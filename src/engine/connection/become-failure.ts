/** Why a host does not let us become a user, in words, each with its cure. */
import { TaskError, Unreachable } from '../../shared/errors.ts';
import type { Become } from './connection.ts';

interface Refusal {
  readonly said: RegExp;
  message(become: Become, name: string): string;
  hint(become: Become): string;
}

/** The order decides: a wrong password ends with words that others use too. */
const REFUSALS: readonly Refusal[] = [
  {
    said: /\bcd: /,
    message: ({ method, chdir }, name) => `Cannot cd to ${chdir} on ${name} before ${method}`,
    hint: () => 'correct ansible_sudo_chdir',
  },
  {
    said: /must have a tty|must be run from a terminal|tty is required|no tty present/i,
    message: ({ method }, name) => `${method} on ${name} must have a tty, and none can be given`,
    hint: ({ method }) => `remove requiretty for this user from the configuration of ${method}`,
  },
  {
    said: /required to change your password|expired|account validation failure|account.*not available/i,
    message: ({ method, user }, name) =>
      `The account or its password has expired: ${method} does not become "${user}" on ${name}`,
    hint: () => 'set a new password (passwd), or extend the account (chage -E -1)',
  },
  {
    said: /try again|incorrect password|authentication fail|permission denied|sorry|authentication token/i,
    message: ({ method, password }) =>
      `${password === undefined ? 'Missing' : 'Incorrect'} ${method} password`,
    hint: () => 'give it with --ask-become-pass (-K) or ansible_become_password',
  },
  {
    said: /password is required|no password was provided|auth\w+ required|askpass/i,
    message: ({ method }) => `Missing ${method} password`,
    hint: () => 'give it with --ask-become-pass (-K) or ansible_become_password',
  },
  {
    said: /not in the sudoers file|may not run sudo|not allowed to|operation not permitted/i,
    message: ({ method, user }, name) =>
      `The login user may not become "${user}" with ${method} on ${name}`,
    hint: ({ method }) =>
      `allow it in ${method === 'doas' ? '/etc/doas.conf' : '/etc/sudoers.d'}, or log in as a user who may`,
  },
  {
    said: /unknown user|user .* does not exist|no passwd entry|unknown login|unknown id/i,
    message: ({ user }, name) => `The user "${user}" to become does not exist on ${name}`,
    hint: () => 'correct become_user, or create the user first',
  },
  {
    said: /not found|no such file/i,
    message: ({ method, exe }, name) => `${exe ?? method} is not installed on ${name}`,
    hint: () => 'install it, choose another become_method, or log in as the user itself',
  },
];

/** The error for what a program said when it ended. */
export function refusalOf(become: Become, name: string, text: string, reason: string): TaskError {
  const known = knownRefusal(become, name, text);
  if (known !== undefined) return known;
  const result = text === '' ? {} : { module_stderr: text };
  return new TaskError(
    `${become.method} does not become "${become.user}" on ${name}: ${text || reason}`,
    {
      hint: 'run the same command by hand on the host',
      result,
    },
  );
}

/** The error for a program that goes on, and neither asks nor becomes the user. */
export function silenceOf(
  become: Become,
  name: string,
  text: string,
  seconds: number,
): TaskError | Unreachable {
  const known = knownRefusal(become, name, text);
  if (known !== undefined) return known;
  const { method, user } = become;
  const said = text === '' ? '' : `; it said "${text}"`;
  return new Unreachable(
    `Timeout (${seconds}s) waiting for privilege escalation prompt: ${method} does not become "${user}" on ${name}${said}`,
    {
      hint: 'run the same command by hand on the host, and check the prompts in ansible_su_prompt_l10n',
    },
  );
}

function knownRefusal(become: Become, name: string, text: string): TaskError | undefined {
  const known = REFUSALS.find(({ said }) => said.test(text));
  const result = text === '' ? {} : { module_stderr: text };
  return known && new TaskError(known.message(become, name), { hint: known.hint(become), result });
}
