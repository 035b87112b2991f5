/** What builds images without a registry: BuildKit, and an image with Node.js to begin with. */
import { copyFile, mkdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { cached } from '../cache.ts';
import { bootstrap } from '../nodes/tree.ts';
import { BUILDKIT } from '../releases/components.ts';
import { goBinaries, HERE } from '../releases/go-build.ts';
import { mustRun } from '../run-command.ts';
import { ServerProcess } from './server-process.ts';

/** Builds BuildKit, where it is not in the cache. @returns the folder of `buildkitd` and `buildctl`. */
export function buildkitPrograms(): Promise<string> {
  return goBinaries(BUILDKIT);
}

/**
 * An image as registries have one with Node.js, as the archive of an OCI layout: the essential packages of Debian, and the
 * Node.js that runs here. @returns its path.
 */
export function nodeImage(): Promise<string> {
  return cached(`images/bookworm-node-${process.version}-${HERE}.tar`, async (path) => {
    const work = `${path}.work`;
    const [root, layout] = [join(work, 'root'), join(work, 'oci')];
    await rm(work, { recursive: true, force: true });
    await mkdir(work, { recursive: true });
    await bootstrap('bookworm', root, ['--variant=essential', '--include=libstdc++6']);
    await copyFile(process.execPath, join(root, 'usr/local/bin/node'));
    const image = ['--image', `${layout}:node`];
    await mustRun('umoci', ['init', '--layout', layout]);
    await mustRun('umoci', ['new', ...image]);
    await mustRun('umoci', ['insert', ...image, root, '/']);
    await mustRun('tar', ['-C', layout, '-cf', path, '.']);
    await rm(work, { recursive: true, force: true });
  });
}

/** BuildKit as it runs on a node that builds. */
export class Buildkit {
  readonly address: string;
  readonly #process: ServerProcess;
  readonly #folder: string;

  private constructor(process: ServerProcess, address: string, folder: string) {
    this.#process = process;
    this.address = address;
    this.#folder = folder;
  }

  /** Starts it with its files below a folder. */
  static async start(folder: string): Promise<Buildkit> {
    const own = join(folder, 'buildkit');
    await mkdir(own, { recursive: true });
    const address = `unix://${own}/buildkitd.sock`;
    const programs = await buildkitPrograms();
    const server = new ServerProcess({
      name: 'buildkitd',
      file: join(programs, 'buildkitd'),
      args: ['--addr', address, '--root', join(own, 'root'), '--containerd-worker=false'],
      log: join(own, 'log'),
      isReady: async () => {
        const words = ['--addr', address, 'debug', 'workers'];
        return (await mustRun(join(programs, 'buildctl'), words)).includes('linux/');
      },
    });
    await server.start();
    return new Buildkit(server, address, own);
  }

  async stop(): Promise<void> {
    await this.#process.stop();
    await rm(this.#folder, { recursive: true, force: true });
  }
}
