import { posix } from 'node:path';
import {
  change,
  defineModule,
  type Effect,
  type PathState,
  type Reader,
  run,
  type Step,
} from '../engine/module.ts';
import { choice, type Infer, list, object, path } from '../shared/schema.ts';
import { sh } from '../shared/shell.ts';

const args = object({
  paths: list(path('Path of a file.'), 'Files that are going to be written or removed.'),
  state: choice(
    ['kept', 'restored'],
    'Keep them as they are now, unless they are kept already; or bring back what is kept.',
    { default: 'kept' },
  ),
  store: path('Where they are kept.', { default: '/var/lib/tsprov/originals' }),
});

type Args = Infer<typeof args>;

/** A file, and what is kept of it. */
interface Original {
  readonly path: string;
  readonly now: PathState | undefined;
  /** Where its copy is, or would be. */
  readonly copy: string;
  /** Where it is noted that there was none. */
  readonly note: string;
  readonly kept: 'file' | 'nothing' | undefined;
}

type State = readonly Original[];

export const originalFiles = defineModule<Args, State>({
  name: 'original_files',
  aliases: [],
  summary:
    'Keep files as they were before they were changed for the first time, and bring them back.',
  args,
  examples: [
    {
      title: 'Keep the configuration of the packages',
      args: { paths: ['/etc/crio/crio.conf', '/etc/containers/storage.conf'] },
    },
    { title: 'Bring it back', args: { paths: ['/etc/crio/crio.conf'], state: 'restored' } },
  ],
  returns: {
    kept: 'Paths of which a copy is kept.',
    absent: 'Paths of which it is noted that there was no file.',
  },

  probe: (host, { paths, store }) => Promise.all(paths.map((each) => probe(host, each, store))),

  plan(current, { state, store }) {
    const due = current.filter(({ kept }) => (kept === undefined) === (state === 'kept'));
    const after = current.map((each) => (due.includes(each) ? reached(each, state) : each));
    const make = sh`umask 077; mkdir -p -- ${store}`;
    const steps = due.map(state === 'kept' ? keep : restore);
    return change(
      current,
      after,
      state === 'kept' && due.length > 0 ? [run(make), ...steps] : steps,
      {
        effects:
          state === 'kept' ? [] : due.map(({ path: name }, i): Effect => effectOf(name, after[i])),
      },
    );
  },

  report: (state) => ({
    kept: state.filter(({ kept }) => kept === 'file').map((each) => each.path),
    absent: state.filter(({ kept }) => kept === 'nothing').map((each) => each.path),
  }),
});

async function probe(host: Reader, file: string, store: string): Promise<Original> {
  const copy = posix.join(store, file.replaceAll('%', '%25').replaceAll('/', '%'));
  const note = `${copy}.none`;
  const [now, copied, noted] = await Promise.all([file, copy, note].map((each) => host.path(each)));
  const kept = copied !== undefined ? 'file' : noted !== undefined ? 'nothing' : undefined;
  return { path: file, now, copy, note, kept };
}

/** What is half-copied when the host goes down is not taken for a copy. */
function keep({ path: file, now, copy, note }: Original): Step {
  if (now === undefined) return run(sh`: >${note}`);
  return run(sh`cp -pP -- ${file} ${`${copy}.new`} && sync && mv -f -- ${`${copy}.new`} ${copy}`);
}

function restore({ path: file, copy, note, kept }: Original): Step {
  if (kept === 'nothing') return run(sh`rm -f -- ${file} ${note}`);
  const beside = `${file}.tsprov-new`;
  return run(
    sh`mkdir -p -- ${posix.dirname(file)} && cp -pP -- ${copy} ${beside} && mv -f -- ${beside} ${file} && rm -f -- ${copy}`,
  );
}

function reached(original: Original, state: Args['state']): Original {
  const { now, kept } = original;
  if (state === 'kept') return { ...original, kept: now === undefined ? 'nothing' : 'file' };
  return { ...original, now: kept === 'file' ? now : undefined, kept: undefined };
}

/** What is in the copy is not read, so later tasks of a check run see a file of unknown content. */
function effectOf(name: string, after: Original | undefined): Effect {
  if (after?.now === undefined) return { kind: 'path', name, state: undefined };
  return { kind: 'other', name };
}
