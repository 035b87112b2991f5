/** What the ssh command says when it cannot connect, and the cure. */
import type { ConnectionSettings } from './connection.ts';
import { ConnectFailure } from './ssh-failure.ts';

interface Reason {
  readonly said: RegExp;
  readonly hint: string;
  readonly again: boolean;
}

const REASONS: readonly Reason[] = [
  {
    said: /IDENTIFICATION HAS CHANGED/,
    hint: 'if the host was installed anew, forget the old key with the ssh-keygen command that ssh names',
    again: false,
  },
  {
    said: /REVOKED HOST KEY/,
    hint: 'give the host a new key; do not connect until then',
    again: false,
  },
  {
    said: /Host key verification failed/,
    hint: 'record its key with ssh-keyscan after comparing it, or run once with --accept-new',
    again: false,
  },
  {
    said: /Permission denied|Too many authentication failures|Load key/,
    hint: 'check ansible_user, and give a key with --private-key, or a password with --ask-pass',
    again: false,
  },
  {
    said: /Could not resolve hostname/,
    hint: 'correct the name, or set ansible_host',
    again: false,
  },
  {
    said: /ENOENT/,
    hint: 'install the OpenSSH client, or set ansible_connection=ssh',
    again: false,
  },
  {
    said: /Bad configuration option|unknown option|illegal option|usage:/i,
    hint: 'correct the ssh arguments',
    again: false,
  },
];

/** The error for what ssh said. */
export function opensshFailure(settings: ConnectionSettings, said: string): ConnectFailure {
  const known = REASONS.find(({ said: pattern }) => pattern.test(said));
  return new ConnectFailure(
    `${settings.name} cannot be reached by ssh: ${said || 'it ended without a word'}`,
    {
      hint: known?.hint ?? 'check that the host is up and its SSH server listens; ssh -v says more',
      again: known?.again ?? true,
    },
  );
}
