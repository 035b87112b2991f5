import { defineModule, fileResult, fileReturns, type Plan, TaskError } from '../engine/module.ts';
import { wasState } from './support/file-change.ts';
import { planHard, planLink } from './support/file-links.ts';
import { probeFile } from './support/file-probe.ts';
import { planAbsent, planDirectory, planExisting, planTouch } from './support/file-states.ts';
import { type FileArgs, type FileNow, fileArgs } from './support/file-task.ts';
import { setsTimes } from './support/file-times.ts';

export const file = defineModule<FileArgs, FileNow>({
  name: 'file',
  aliases: ['ansible.builtin.file'],
  summary: 'Keep files, directories and links, with their owner, group and mode.',
  args: fileArgs,

  examples: [
    {
      title: 'Make a directory and all that is missing above it',
      args: { path: '/opt/cni/bin', state: 'directory', mode: '0755' },
    },
    {
      title: 'Give a tree to a user, directories open and files not executable',
      args: {
        path: '/srv/site',
        state: 'directory',
        recurse: true,
        owner: 'www-data',
        mode: 'u=rwX,g=rX,o=',
      },
    },
    {
      title: 'Point a link elsewhere',
      args: { path: '/etc/localtime', src: '/usr/share/zoneinfo/UTC', state: 'link' },
    },
    { title: 'Remove a directory and all in it', args: { path: '/tmp/build', state: 'absent' } },
  ],

  returns: {
    path: 'The path, for files, directories and what was removed.',
    dest: 'The path, for links and touched files.',
    src: 'Where a link points.',
    state: 'What is there: `file`, `directory`, `link`, `hard` or `absent`.',
    ...fileReturns,
  },

  alwaysActs: setsTimes,

  probe: (host, args) => probeFile(host, args),

  plan(now, args) {
    const state = stateOf(now, args);
    if (args.recurse && state !== 'directory') {
      throw new TaskError("recurse option requires state to be 'directory'");
    }
    if (args.src !== undefined && state !== 'link' && state !== 'hard') {
      throw new TaskError("src option requires state to be 'link' or 'hard'");
    }
    return PLANS[state](now, args);
  },

  report(now, args, { before }) {
    // What the path was asked to be decides how it is called in the result, not what it has become.
    const state = stateOf(before, args);
    if (state === 'absent') return { path: args.path, state };
    const isLinked = state === 'link' || state === 'hard' || state === 'touch';
    const found = args.follow && !isLinked ? now.there : now.here;
    const isSeen = state !== 'link' || (found?.type === 'link' && now.there !== undefined);
    return {
      ...(isLinked ? { dest: now.path } : { path: found?.realPath ?? now.path }),
      ...((state === 'link' || state === 'hard') && { src: sourceOf(now, args) }),
      ...(found !== undefined && isSeen && fileResult(found)),
    };
  },
});

type State = NonNullable<FileArgs['state']>;

const PLANS: Readonly<Record<State, (now: FileNow, args: FileArgs) => Plan<FileNow>>> = {
  absent: planAbsent,
  directory: planDirectory,
  file: planExisting,
  hard: planHard,
  link: planLink,
  touch: planTouch,
};

/** The state that is asked for, or by default the one that is there. */
function stateOf(now: FileNow, { state, recurse }: FileArgs): State {
  if (state !== undefined) return state;
  const was = wasState(now);
  if (was === 'directory' || was === 'link' || was === 'hard') return was;
  return was === 'absent' && recurse ? 'directory' : 'file';
}

function sourceOf({ here, there }: FileNow, { src, follow }: FileArgs): string | null {
  return src ?? (follow && there !== undefined ? here?.target : undefined) ?? null;
}
