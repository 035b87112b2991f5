/** Why a host cannot be reached, in words, each with its cure. */
import { Unreachable } from '../../shared/errors.ts';
import { table } from '../../shared/table.ts';
import type { SshTarget } from './ssh-target.ts';

/** An attempt to connect that failed; `again` says whether another may do better. */
export class ConnectFailure extends Unreachable {
  readonly again: boolean;

  constructor(
    message: string,
    { hint, again, cause }: { hint: string; again: boolean; cause?: unknown },
  ) {
    super(message, { hint, cause });
    this.again = again;
  }
}

/** The host said nothing in time. */
export function noAnswer(target: SshTarget): ConnectFailure {
  return new ConnectFailure(
    `${target.name} does not answer on ${target.host}:${target.port} within ${target.connectTimeoutMs / 1000} seconds.`,
    {
      hint: 'check that it is up and that no firewall is between; raise --timeout for a slow network',
      again: true,
    },
  );
}

/** No credential was taken. */
export function loginRefused(target: SshTarget, offered: readonly string[]): ConnectFailure {
  const list =
    offered.length === 0 ? 'nothing to offer: no agent, key or password' : offered.join(', ');
  return new ConnectFailure(
    `${target.name} refuses the login of "${target.user}": offered ${list}.`,
    {
      hint: 'check ansible_user; of many keys in an agent choose one with IdentitiesOnly; or give a key with --private-key or ansible_ssh_private_key_file, or a password with --ask-pass',
      again: false,
    },
  );
}

/** True for an error by which the library, or the server, says that nothing offered was taken. */
export function isRefusal(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  const level = 'level' in error ? error.level : undefined;
  return level === 'client-authentication' || /too many authentication/i.test(error.message);
}

/** A jump host does not get through to the next. */
export function notForwarded(jump: SshTarget, where: string, text: string): ConnectFailure {
  return new ConnectFailure(`${jump.name} cannot reach ${where}: ${text}.`, {
    hint: 'check the address as the jump host sees it, and that it allows forwarding (AllowTcpForwarding)',
    again: true,
  });
}

/** What an error of the network or of the library means. */
export function explain(error: unknown, target: SshTarget): Unreachable {
  if (error instanceof Unreachable) return error;
  const text = error instanceof Error ? error.message : String(error);
  const code = /before handshake/.test(text) ? 'ECONNRESET' : codeOf(error);
  const where = `${target.host}:${target.port}`;
  const known = NETWORK[code];
  if (known !== undefined)
    return new ConnectFailure(known.message(target.name, where, target.host), {
      ...known,
      cause: error,
    });
  if (/no matching|handshake failed/i.test(text)) {
    return new ConnectFailure(
      `${target.name} and the ssh transport have no algorithm in common: ${text}.`,
      {
        hint: 'set ansible_connection=openssh, which knows more algorithms',
        again: false,
        cause: error,
      },
    );
  }
  return new ConnectFailure(`The connection to ${target.name} (${where}) fails: ${text}.`, {
    hint: 'check that an SSH server listens there: ssh -v to the same address says more',
    again: true,
    cause: error,
  });
}

/** Happy-eyeballs errors hold one error for each address. */
function codeOf(error: unknown): string {
  if (error instanceof AggregateError) return codeOf(error.errors[0]);
  return error instanceof Error && 'code' in error && typeof error.code === 'string'
    ? error.code
    : '';
}

interface NetworkError {
  message(name: string, where: string, host: string): string;
  readonly hint: string;
  readonly again: boolean;
}

const unresolved: NetworkError = {
  message: (name, _where, host) => `The address "${host}" of ${name} cannot be resolved.`,
  hint: 'correct the name, or set ansible_host',
  again: false,
};
const noRoute: NetworkError = {
  message: (name, where) => `There is no route to ${name} (${where}).`,
  hint: 'check the address and the network of this machine',
  again: true,
};

const NETWORK: Readonly<Record<string, NetworkError>> = table({
  ENOTFOUND: unresolved,
  EAI_AGAIN: {
    ...unresolved,
    hint: 'the name server does not answer: try again, or set ansible_host',
    again: true,
  },
  EHOSTUNREACH: noRoute,
  ENETUNREACH: noRoute,
  ECONNREFUSED: {
    message: (name, where) => `${name} refuses connections on ${where}: nothing listens there.`,
    hint: 'start its SSH server, or correct ansible_port',
    again: true,
  },
  ECONNRESET: {
    message: (name, where) => `${name} (${where}) hung up before the login was complete.`,
    hint: 'it may be starting, or refuse this address or so many connections at once (MaxStartups)',
    again: true,
  },
  ETIMEDOUT: {
    message: (name, where) => `${name} does not answer on ${where}.`,
    hint: 'check that it is up and that no firewall is between',
    again: true,
  },
});
