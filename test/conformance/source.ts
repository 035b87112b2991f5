import { mkdir, readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { ansibleBin } from '../support/ansible.ts';
import { cached } from '../support/cache.ts';
import { mustRun } from '../support/run-command.ts';

/** The release of ansible-core whose targets are played. */
export const VERSION = '2.19.14';

/**
 * The folder of ansible-core's source archive, fetched once and kept in the cache. It is under the GPL: tests play
 * it where it lies, and nothing of it enters the repository.
 */
export function ansibleSource(): Promise<string> {
  return cached(`ansible-core-${VERSION}`, async (path) => {
    const fetched = `${path}.fetched`;
    await rm(fetched, { recursive: true, force: true });
    const pip = join(await ansibleBin(), 'pip');
    const options = ['-q', '--no-deps', '--no-binary', ':all:', '-d', fetched];
    await mustRun(pip, ['download', ...options, `ansible-core==${VERSION}`]);
    const [archive] = await readdir(fetched);
    await mkdir(path, { recursive: true });
    await mustRun('tar', ['-C', path, '--strip-components=1', '-xf', join(fetched, archive ?? '')]);
    await rm(fetched, { recursive: true });
  });
}
