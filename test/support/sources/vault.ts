import { join } from 'node:path';
import { freePort } from '../free-port.ts';
import { isReplayed } from '../recording.ts';
import { VAULT } from '../releases/components.ts';
import { standIn } from '../releases/go-build.ts';
import { type AddressedServer, recordedServer } from './recorded.ts';
import { findProgram, makeServerDirectory, startServer } from './server.ts';

export interface VaultServer extends AddressedServer {
  /** Writes as root, to a path below `/v1/`. */
  write(path: string, body: object): Promise<unknown>;
  /** The keys that are at a path. */
  list(path: string): Promise<readonly string[]>;
}

/** Why it cannot run here. */
export function whyNoVault(): string | undefined {
  const canStart = isReplayed || findProgram('go') !== undefined;
  return canStart ? undefined : 'Vault is built with Go: https://go.dev/dl';
}

const ROOT_TOKEN = 'root-of-the-test';

/**
 * Vault, with engines of keys and values at `kv` (version 1) and `secret` (version 2), and of certificates at `pki`.
 * @param recording Name of its recorded answers, where the test can do with them.
 */
export async function startVault(recording?: string): Promise<VaultServer> {
  const server = await recordedServer(recording, startProgram);
  const send = async (path: string, body?: object) => {
    if (body !== undefined) server.changed();
    return sendTo(server.url, path, body);
  };
  await send('sys/mounts/kv', { type: 'kv' });
  await send('sys/mounts/secret', { type: 'kv', options: { version: '2' } });
  await send('sys/mounts/pki', { type: 'pki' });
  await send('pki/root/generate/internal', { common_name: 'test', ttl: '24h' });
  const domains = { allowed_domains: 'example.com', allow_subdomains: true };
  await send('pki/roles/scaler', { ...domains, ttl: '1h' });
  return {
    url: server.url,
    write: send,
    list: async (path) => ((await send(`${path}?list=true`)) as { keys: readonly string[] }).keys,
    stop: () => server.stop(),
  };
}

async function startProgram(): Promise<AddressedServer> {
  const programs = await standIn(VAULT);
  const directory = await makeServerDirectory('vault');
  const address = `127.0.0.1:${await freePort()}`;
  const url = `http://${address}`;
  const running = await startServer(directory, {
    file: join(programs, 'vault'),
    args: ['-address', address, '-token', ROOT_TOKEN],
    probe: () => sendTo(url, 'sys/mounts'),
  });
  return { url, stop: () => running.stop().then(() => directory.remove()) };
}

async function sendTo(url: string, path: string, body?: object): Promise<unknown> {
  const answer = await fetch(`${url}/v1/${path}`, {
    headers: { 'x-vault-token': ROOT_TOKEN },
    ...(body !== undefined && { method: 'POST', body: JSON.stringify(body) }),
  });
  const text = await answer.text();
  if (!answer.ok) throw new Error(`vault ${path}: ${answer.status} ${text}`);
  return text === '' ? undefined : (JSON.parse(text) as { readonly data: unknown }).data;
}
