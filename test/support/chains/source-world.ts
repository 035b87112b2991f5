/** What chains need beside their playbook: files of the controller, and a server to fetch from. */
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { makeWorld, type World } from '../play-here.ts';

const TEXTS = {
  'files/one': 'one\n',
  'files/tree/top': 'top\n',
  'files/tree/sub/deep': 'deep\n',
  'templates/t.j2': 'a={{ 40 + 2 }}\n',
  'templates/u.j2': '{% for n in [1, 2] %}\nb={{ n }}\n{% endfor %}\n',
};

/** A folder with the sources that chains copy, render and unpack. */
export function sourceWorld(): World {
  const world = makeWorld(TEXTS);
  const files = world.path('files');
  const pack = (command: string, args: readonly string[], cwd: string) =>
    execFileSync(command, [...args], { cwd, stdio: 'pipe' });
  pack('tar', ['-czf', join(files, 'a.tgz'), 'top', 'sub'], join(files, 'tree'));
  // Its directories are not in it, only what is in them.
  pack('tar', ['-czf', join(files, 'deep.tgz'), 'sub/deep'], join(files, 'tree'));
  pack('zip', ['-qr', join(files, 'b.zip'), '.'], join(files, 'tree'));
  return world;
}

/** Serves the files of a world on an address of this machine. */
export async function serve(world: World): Promise<{ url: string; close(): Promise<void> }> {
  const server = createServer((request, response) => {
    try {
      const bytes = readFileSync(join(world.path('files'), request.url ?? ''));
      response.writeHead(200, { 'content-length': bytes.length });
      response.end(request.method === 'HEAD' ? undefined : bytes);
    } catch {
      response.writeHead(404).end();
    }
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo; // It listens on a port.
  return {
    url: `http://127.0.0.1:${port}`,
    close: () => new Promise((resolve) => server.close(() => resolve())),
  };
}
