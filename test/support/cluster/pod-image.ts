/** The image of the pods of tests, made without a registry. */
import { copyFile, mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { standIn } from '../releases/go-build.ts';
import { mustRun } from '../run-command.ts';

/** Its reference; it is never pulled. */
export const IMAGE = 'docker.io/local/worker:1';

const PROGRAM = { name: 'worker', version: 'v1.0.0', requires: [] };

/** Builds the one program in it, where it is not in the cache. @returns the folder of the program. */
export function workerProgram(): Promise<string> {
  return standIn(PROGRAM);
}

/** Writes the image as an archive of an OCI layout, `image.tar` in the folder: a static program and nothing else. */
export async function writeImage(folder: string): Promise<void> {
  const layout = join(folder, 'oci');
  const bundle = join(folder, 'bundle');
  await mkdir(folder, { recursive: true });
  const image = ['--image', `${layout}:worker`];
  await mustRun('umoci', ['init', '--layout', layout]);
  await mustRun('umoci', ['new', ...image]);
  await mustRun('umoci', ['unpack', ...image, bundle]);
  await copyFile(join(await workerProgram(), 'worker'), join(bundle, 'rootfs', 'worker'));
  await mustRun('umoci', ['repack', ...image, bundle]);
  await mustRun('umoci', ['config', ...image, '--config.entrypoint', '/worker']);
  await nameImage(join(layout, 'index.json'));
  await mustRun('tar', ['-C', layout, '-cf', join(folder, 'image.tar'), '.']);
}

/** The name under which it is imported is its full reference, which umoci does not take for a tag. */
async function nameImage(path: string): Promise<void> {
  const index = JSON.parse(await readFile(path, 'utf8'));
  for (const manifest of index.manifests) {
    manifest.annotations['org.opencontainers.image.ref.name'] = IMAGE;
  }
  await writeFile(path, JSON.stringify(index));
}
