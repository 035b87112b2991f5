/** Which version a task means. */
import { TaskError } from '../../../engine/module.ts';
import type { ReleaseArgs } from './args.ts';
import type { Locked, ReleaseMemory, Resolution } from './memory.ts';
import { latestUrl, mirrored, newestLocal, redacted } from './place.ts';
import { redirectOf } from './request.ts';
import { givenVersion, versionOfTag } from './version.ts';

const PIN = 'give a version, or a lock file that has one';

/** The version that is given, that the lock file has, or that is the newest. Throws TaskError where it is none. */
export async function resolveVersion(
  args: ReleaseArgs,
  locked: Locked | undefined,
  memory: ReleaseMemory,
): Promise<Resolution> {
  if (args.version !== 'latest') return { version: givenVersion(args.version) };
  if (locked !== undefined && !args.update) return { version: locked.version };
  if (args.files_dir !== undefined) return fromDirectory(args.files_dir, args);
  if (args.upstream !== undefined) {
    return { problem: `${redacted(args.upstream)} does not tell the newest release (${PIN})` };
  }
  const url = mirrored(latestUrl(args), args);
  return await (memory.latest.get(url) ?? memory.latest.set(url, ask(url, args.tag, memory)));
}

function fromDirectory(directory: string, args: ReleaseArgs): Resolution {
  const version = newestLocal(directory, args);
  if (version !== undefined) return { version };
  return { problem: `"${directory}" has no release of ${args.repository} (${PIN})` };
}

/** A server that does not answer is asked once: its other pages are no nearer. */
async function ask(url: string, tagPattern: string, { away }: ReleaseMemory): Promise<Resolution> {
  const { origin } = new URL(url);
  const known = away.get(origin);
  if (known !== undefined) return { problem: known };
  try {
    return versionAt(url, await redirectOf(url), tagPattern);
  } catch (error) {
    if (!(error instanceof TaskError)) throw error;
    const { reason } = error.result;
    if (reason === undefined) return { problem: `${error.message} (${PIN})` };
    return { problem: away.set(origin, `${origin} does not answer: ${reason} (${PIN})`) };
  }
}

/** The page of the newest release leads to that of its tag. */
function versionAt(url: string, target: string | undefined, tagPattern: string): Resolution {
  const tag = decodeURIComponent(target?.split('/releases/tag/')[1] ?? '');
  const version = versionOfTag(tag, tagPattern);
  if (version !== undefined) return { version };
  const leads = target === undefined ? 'leads nowhere' : `leads to ${redacted(target)}`;
  return { problem: `${redacted(url)} ${leads}, which names no version "${tagPattern}" (${PIN})` };
}
