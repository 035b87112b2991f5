/** What is done about a host key: taken, recorded or refused, each refusal with its cure. */
import { Unreachable } from '../../shared/errors.ts';
import { quote } from '../../shared/shell.ts';
import type { ConnectionSettings } from './connection.ts';
import {
  fingerprint,
  type HostAddress,
  type HostKey,
  judge,
  type KnownHost,
  knownName,
  readKnownHosts,
  recordHostKey,
} from './known-hosts.ts';

/** How host keys are checked for one host. */
export interface HostKeyPolicy {
  /** Name of the host in the inventory, for messages. */
  readonly name: string;
  readonly address: HostAddress;
  readonly checking: ConnectionSettings['hostKeyChecking'];
  /** Files that are read; new keys go to the first of them. */
  readonly files: readonly string[];
  readonly hashNames: boolean;
}

/** Takes the key or throws Unreachable. Records it where the policy accepts new ones. */
export async function checkHostKey(policy: HostKeyPolicy, key: HostKey): Promise<void> {
  if (policy.checking === 'off') return;
  const verdict = judge(await readKnownHosts(policy.files), policy.address, key);
  if (verdict.is === 'known') return;
  if (verdict.is !== 'unknown') {
    throw (verdict.is === 'revoked' ? revoked : changed)(policy, key, verdict.entry);
  }
  if (policy.checking === 'strict') throw unknown(policy, key, verdict.authority);
  const [file] = policy.files;
  if (file !== undefined)
    await recordHostKey(file, policy.address, key, { hashed: policy.hashNames });
}

const shown = (key: HostKey) => `${key.type} ${fingerprint(key)}`;

function unknown(
  policy: HostKeyPolicy,
  key: HostKey,
  authority: KnownHost | undefined,
): Unreachable {
  const { host, port } = policy.address;
  const message = `The host key of ${policy.name} (${knownName(policy.address)}) is not known: ${shown(key)}.`;
  if (authority !== undefined) {
    return new Unreachable(message, {
      hint: `${authority.file}:${authority.line} trusts a certificate authority, which only the openssh transport can check: set ansible_connection=openssh`,
    });
  }
  const scan = `ssh-keyscan -p ${port} ${quote(host)} >> ${quote(policy.files[0] ?? '~/.ssh/known_hosts')}`;
  return new Unreachable(message, {
    hint: `compare it with the host's own and record it with \`${scan}\`, or run once with --accept-new; ANSIBLE_HOST_KEY_CHECKING=False checks nothing`,
  });
}

function changed(policy: HostKeyPolicy, key: HostKey, entry: KnownHost): Unreachable {
  const name = knownName(policy.address);
  return new Unreachable(
    `The host key of ${policy.name} (${name}) has changed: it shows ${shown(key)}, but ${entry.file}:${entry.line} has ${shown(entry.key)}. Somebody may be in between.`,
    {
      hint: `if the host was installed anew, forget the old key with \`ssh-keygen -f ${quote(entry.file)} -R ${quote(name)}\``,
    },
  );
}

function revoked(policy: HostKeyPolicy, key: HostKey, entry: KnownHost): Unreachable {
  return new Unreachable(
    `The host key of ${policy.name} (${knownName(policy.address)}) is revoked: ${shown(key)}, by ${entry.file}:${entry.line}.`,
    {
      hint: 'give the host a new key (ssh-keygen -A after removing the old one); do not connect until then',
    },
  );
}
