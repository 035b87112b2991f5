import { posix } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import {
  change,
  defineModule,
  type Effect,
  type Plan,
  run,
  type Step,
  TaskError,
} from '../engine/module.ts';
import { choice, type Infer, list, object, path, string } from '../shared/schema.ts';
import { sh } from '../shared/shell.ts';
import {
  type NetworkFile,
  type NetworksState,
  parseNetwork,
  probeNetworks,
  staleBridges,
} from './support/network-files.ts';
import { rewritten, type TextFile } from './support/text-file.ts';

const args = object({
  templates: list(
    string('Template of the playbook or role.'),
    'Configurations, each under the name of its template without `.hbs` or `.j2`. The first by name is to be the one that counts.',
  ),
  dest: path('Directory of network configurations.', { default: '/etc/cni/net.d' }),
  state: choice(
    ['present', 'absent'],
    'Whether they are to be there; with `absent`, their bridges and the notes on addresses go too.',
    { default: 'present' },
  ),
  remove: list(string('Name of a file.'), 'Configurations of others to take away.', {
    default: [],
  }),
});

type Args = Infer<typeof args>;

/** The arguments, and what the templates make. */
interface Input {
  readonly args: Args;
  readonly wanted: readonly NetworkFile[];
}

export const cniConfig = defineModule<Args, NetworksState, Input>({
  name: 'cni_config',
  aliases: [],
  summary: 'Keep network configurations as the ones that a container runtime takes.',
  args,
  examples: [
    {
      title: 'Connect pods by a bridge, and not by that of podman',
      args: {
        templates: ['10-bridge.conf.hbs', '20-loopback.conf.hbs'],
        remove: ['87-podman-bridge.conflist'],
      },
    },
  ],
  returns: {
    dest: 'The directory.',
    files: 'Names of the configurations.',
    first: 'Name of the configuration that counts; null where there is none.',
    differing: 'Names of the files that were not as wanted before.',
  },

  prepare(controller, given) {
    const wanted = given.templates.map((name) => {
      const file = controller.findFile('templates', name);
      return parseNetwork(
        posix.basename(name).replace(/\.(hbs|j2)$/, ''),
        controller.renderTemplate(file),
      );
    });
    return { args: given, wanted };
  },

  probe: (host, { args: given, wanted }) => probeNetworks(host, given.dest, wanted),

  plan(current, input) {
    const { args: given, wanted } = input;
    if (given.state === 'absent') return planAbsence(current, input);
    const names = namesAfter(current, input);
    expectFirst(names, input);
    const changes = outdated(current, wanted).map(([file, { text }]) => rewritten(file, text));
    const extra = foreign(current, given);
    const stale = staleBridges(current, wanted);
    const files = current.files.map(
      (file) => changes.find((each) => each.file.path === file.path)?.file ?? file,
    );
    return change(
      current,
      { ...current, names, files, directoryExists: true, bridges: without(current, stale) },
      [
        !current.directoryExists && run(sh`umask 022; mkdir -p -- ${given.dest}`),
        ...changes.map(({ step }) => step),
        ...removeFiles(given.dest, extra),
        ...stale.map(removeBridge),
      ],
      {
        effects: [...changes.map(({ effect }) => effect), ...gone(given.dest, extra)],
        diff: changes.map(({ file }) => ({
          before: current.files.find(({ path: at }) => at === file.path)?.text ?? '',
          after: file.text,
          beforeHeader: file.path,
          afterHeader: file.path,
        })),
      },
    );
  },

  report: ({ names }, { args: given, wanted }, { before }) => ({
    dest: given.dest,
    files: wanted.map(({ name }) => name),
    first: names[0] ?? null,
    differing: differing(before, { args: given, wanted }),
  }),
});

function differing(before: NetworksState, { args: given, wanted }: Input): string[] {
  const names = wanted.map(({ name }) => name);
  if (given.state === 'absent') return names.filter((name) => before.names.includes(name));
  return [...outdated(before, wanted).map(([, { name }]) => name), ...foreign(before, given)];
}

/** Files that do not say what they should, each with what it should say. */
function outdated(
  { files }: NetworksState,
  wanted: readonly NetworkFile[],
): [TextFile, NetworkFile][] {
  return wanted.flatMap((each, i): [TextFile, NetworkFile][] => {
    const file = files[i];
    return file === undefined || isSame(file, each) ? [] : [[file, each]];
  });
}

function foreign({ names }: NetworksState, { remove }: Args): string[] {
  return remove.filter((name) => names.includes(name));
}

function namesAfter({ names }: NetworksState, { args: given, wanted }: Input): string[] {
  const all = new Set([...names, ...wanted.map(({ name }) => name)]);
  return [...all].filter((name) => !given.remove.includes(name)).sort();
}

/** Runtimes take the first file by name. Throws TaskError where that would be one of somebody else. */
function expectFirst(names: readonly string[], { args: given, wanted }: Input): void {
  const [first = ''] = names;
  if (wanted.length === 0 || wanted.some(({ name }) => name === first)) return;
  throw new TaskError(
    `"${posix.join(given.dest, first)}" comes before ${wanted[0]?.name}, so that pods would be connected by it`,
    { hint: 'name it in `remove`, or leave the network to it and do not write configurations' },
  );
}

/** Whether a file says the same, however it is written. */
function isSame({ text, state }: TextFile, { network }: NetworkFile): boolean {
  if (state === null) return false;
  try {
    return isDeepStrictEqual(JSON.parse(text), network);
  } catch {
    return false;
  }
}

function without({ bridges }: NetworksState, stale: NetworksState['bridges']) {
  return bridges.map((each) =>
    stale.includes(each) ? { ...each, addresses: [], exists: false, hasLeases: false } : each,
  );
}

function removeFiles(dest: string, names: readonly string[]): Step[] {
  return names.length === 0
    ? []
    : [run(sh`rm -f -- ${names.map((name) => posix.join(dest, name))}`)];
}

/** The plugins make both again when the next pod starts. */
function removeBridge({ link, leases }: NetworksState['bridges'][number]): Step {
  return run(
    sh`{ ip link delete ${link} 2>/dev/null || [ ! -e ${`/sys/class/net/${link}`} ]; } && rm -rf -- ${leases}`,
  );
}

function gone(dest: string, names: readonly string[]): Effect[] {
  return names.map((name) => ({ kind: 'path', name: posix.join(dest, name), state: undefined }));
}

function planAbsence(current: NetworksState, { args: given, wanted }: Input): Plan<NetworksState> {
  const names = wanted.map(({ name }) => name).filter((name) => current.names.includes(name));
  const used = current.bridges.filter(({ exists, hasLeases }) => exists || hasLeases);
  return change(
    current,
    {
      ...current,
      names: current.names.filter((name) => !names.includes(name)),
      bridges: without(current, used),
    },
    [...removeFiles(given.dest, names), ...used.map(removeBridge)],
    { effects: gone(given.dest, names) },
  );
}
