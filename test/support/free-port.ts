import { createServer } from 'node:net';
import { join } from 'node:path';
import { CACHE, tryLock } from './cache.ts';

/** Ports below those that the kernel gives to connections and to servers that name none, and to Services of nodes. */
const FIRST = 20_000;
const COUNT = 10_000;

/** A port on which nothing listens, and which no other test is given while this process lives. */
export async function freePort(): Promise<number> {
  const start = Math.floor(Math.random() * COUNT);
  for (let tries = 0; tries < COUNT; tries += 1) {
    const port = FIRST + ((start + tries) % COUNT);
    if ((await tryLock(join(CACHE, 'ports', String(port)))) && (await isFree(port))) return port;
  }
  throw new Error(`no port from ${FIRST} on is free`);
}

/** Several, each another. */
export async function freePorts(count: number): Promise<readonly number[]> {
  const ports: number[] = [];
  while (ports.length < count) ports.push(await freePort());
  return ports;
}

/** Whether nothing listens on any address of this machine. */
function isFree(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const server = createServer();
    server.once('error', () => resolve(false));
    server.listen(port, '0.0.0.0', () => server.close(() => resolve(true)));
  });
}
