import { readFileSync } from 'node:fs';
import { stringify } from 'yaml';
import type { World } from './play-here.ts';
import type { Sshd } from './sshd.ts';

/** How a host that an sshd stands for is reached. */
export interface ReachedThrough {
  /** A proxy's port, the server's own by default. */
  readonly port?: number;
  readonly user?: string;
  readonly variables?: Readonly<Record<string, unknown>>;
}

/** Writes `hosts.yaml` with one host, `node`, that is this machine behind an sshd; gives its path. */
export function writeSshdInventory(world: World, sshd: Sshd, through: ReachedThrough = {}): string {
  const { port = sshd.port, user = 'root', variables = {} } = through;
  const keys = readFileSync(sshd.knownHostsFile, 'utf8');
  world.write({ known_hosts: keys.replaceAll(`:${sshd.port} `, `:${port} `) });
  const host = {
    ansible_host: '127.0.0.1',
    ansible_port: port,
    ansible_user: user,
    ansible_timeout: 60,
    ansible_ssh_private_key_file: sshd.keyFile,
    ansible_ssh_common_args: `-o UserKnownHostsFile=${world.path('known_hosts')}`,
    ...variables,
  };
  world.write({ 'hosts.yaml': stringify({ all: { hosts: { node: host } } }) });
  return world.path('hosts.yaml');
}
