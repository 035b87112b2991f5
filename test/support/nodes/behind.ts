import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { startCountingProxy, type Traffic } from '../counting-proxy.ts';
import type { NodeAccess } from './node.ts';

type Reached = Pick<NodeAccess, 'address' | 'port' | 'knownHostsFile'>;

/**
 * For plays whose round trips are counted: a client that says that it is there waits for nothing, but on a slow machine
 * would be counted with every quarter of a minute.
 */
export const WITHOUT_KEEPALIVES = ['-e', 'ansible_ssh_extra_args="-o ServerAliveInterval=0"'];

/** The same host through a proxy on loopback. The file of its keys goes into the folder. */
export async function behind<Host extends Reached>(
  host: Host,
  port: number,
  folder: string,
): Promise<Host> {
  const keys = await readFile(host.knownHostsFile, 'utf8');
  const knownHostsFile = join(folder, `known_hosts-${port}`);
  const own = `[${host.address}]:${host.port}`;
  const name = keys.includes(own) ? own : host.address;
  await writeFile(knownHostsFile, keys.replaceAll(name, `[127.0.0.1]:${port}`));
  return { ...host, address: '127.0.0.1', port, knownHostsFile };
}

/** What work on a host costs on the wire, the connection included. */
export async function measureTraffic<Host extends Reached, Result>(
  host: Host,
  folder: string,
  work: (counted: Host) => Promise<Result>,
): Promise<{ readonly result: Result; readonly traffic: Traffic }> {
  const proxy = await startCountingProxy({ host: host.address, port: host.port });
  try {
    const result = await work(await behind(host, proxy.port, folder));
    return { result, traffic: proxy.traffic() };
  } finally {
    await proxy.close();
  }
}
