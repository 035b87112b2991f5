import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Target } from './contenders.ts';

/** The same host through a proxy on loopback. The file of its keys goes into the folder. */
export async function behind(host: Target, port: number, folder: string): Promise<Target> {
  const keys = await readFile(host.knownHostsFile, 'utf8');
  const knownHostsFile = join(folder, `known_hosts-${port}`);
  const own = `[${host.address}]:${host.port}`;
  const name = keys.includes(own) ? own : host.address;
  await writeFile(knownHostsFile, keys.replaceAll(name, `[127.0.0.1]:${port}`));
  return { ...host, address: '127.0.0.1', port, knownHostsFile };
}
