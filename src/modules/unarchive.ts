import { createHash } from 'node:crypto';
import { posix } from 'node:path';
import {
  type Content,
  defineModule,
  fileResult,
  run,
  type Step,
  TaskError,
  wantedMode,
  write,
} from '../engine/module.ts';
import { joinCommands, sh } from '../shared/shell.ts';
import { isRemote, type UnarchiveArgs, unarchiveArgs } from './support/archive/args.ts';
import { unpackedEffects } from './support/archive/effects.ts';
import { printNames } from './support/archive/listing.ts';
import { readLocalArchive } from './support/archive/local.ts';
import {
  probeUnarchive,
  type UnarchiveInput,
  type UnarchiveState,
} from './support/archive/probe.ts';
import { unpackScript } from './support/archive/script.ts';

export const unarchive = defineModule<UnarchiveArgs, UnarchiveState, UnarchiveInput>({
  name: 'unarchive',
  aliases: ['ansible.builtin.unarchive'],
  summary: 'Unpack an archive on the host.',
  args: unarchiveArgs,
  mutuallyExclusive: [['include', 'exclude']],
  examples: [
    {
      title: 'Unpack an archive of the role',
      args: { src: 'cni-plugins.tgz', dest: '/opt/cni/bin', owner: 'root', group: 'root' },
    },
    {
      title: 'Fetch an archive and unpack it once',
      args: {
        src: 'https://example.org/tool-arm64.tar.gz',
        dest: '/usr/local',
        remote_src: true,
        creates: '/usr/local/bin/tool',
      },
    },
  ],
  returns: {
    dest: 'The directory.',
    src: 'The archive.',
    handler: 'Kind of the archive: `TgzArchive`, `TarArchive` or `ZipArchive`.',
    files: 'With `list_files`, the names of what is in the archive.',
    extract_results: 'Exit code and output of tar or unzip, where something was unpacked.',
  },

  async prepare(controller, args) {
    refuseUnsupported(args);
    if (isRemote(args)) return { args };
    const { src, decrypt } = args;
    if (src.includes('://')) {
      throw new TaskError('src is a URL, which the host has to fetch itself', {
        hint: 'set "remote_src: true"',
      });
    }
    return { args, archive: await readLocalArchive(controller, src, { decrypt }) };
  },

  probe: probeUnarchive,

  plan(current, input) {
    const { args } = input;
    const nothing = { before: current, after: current, steps: [], effects: [] };
    if (current.isCreated) return nothing;
    if (current.dest?.type !== 'directory') {
      throw new TaskError(`dest '${args.dest}' must be an existing dir`, {
        hint: 'create the directory first',
      });
    }
    if (current.differences.length === 0) return nothing;
    // Better than to find out when all is unpacked.
    if (args.mode !== undefined)
      wantedMode(args.mode, { current: 0, isDirectory: false, umask: 0 });
    return {
      ...nothing,
      after: { ...current, differences: [] },
      steps: stepsOf(current, input),
      effects: unpackedEffects(current, args),
      diff: { prepared: `${current.differences.join('\n')}\n` },
    };
  },

  report(state, { args }, plan, outputs) {
    if (state.isCreated && plan.steps.length === 0) {
      return { skipped: true, msg: `skipped, since ${args.creates} exists` };
    }
    const dest = state.dest ?? plan.before.dest;
    const last = outputs.at(-1);
    const { resolved } = plan.before;
    return {
      ...(resolved !== undefined && {
        warnings: [
          `Relative destination path '${args.dest}' was resolved to absolute path '${resolved}'.`,
        ],
      }),
      ...{ dest: args.dest, src: args.src, handler: reportedHandler(plan.before) },
      ...(args.list_files && { files: plan.before.names }),
      ...(last !== undefined && {
        extract_results: { rc: last.code, out: last.stdout, err: last.stderr },
      }),
      ...(dest !== undefined && fileResult(dest)),
    };
  },
});

/** As Ansible calls it: of the packed tar archives only those of gzip have a name of their own. */
function reportedHandler({ handler }: UnarchiveState): string | undefined {
  return handler === 'TgzArchive' || handler === 'ZipArchive' ? handler : handler && 'TarArchive';
}

function refuseUnsupported(args: UnarchiveArgs): void {
  const { seuser, serole, setype, selevel, attributes } = args;
  const given = Object.entries({ seuser, serole, setype, selevel, attributes });
  const names = given.filter(([, value]) => value !== undefined).map(([name]) => `"${name}"`);
  if (names.length === 0) return;
  throw new TaskError(`${names.join(', ')} cannot be set on what is unpacked`, {
    hint: 'use the file module with "recurse: true" afterwards',
  });
}

/** An archive of the controller is brought into the destination, where there has to be room, and removed again. */
function stepsOf({ source, paths }: UnarchiveState, { args, archive }: UnarchiveInput): Step[] {
  const names = printNames(paths.filter((path) => !path.includes('\n')));
  const failure = `"${args.src}" is not unpacked`;
  if (source !== undefined) return [run(unpackScript(source, args, names), { failure })];
  if (archive === undefined) return [];
  const path = posix.join(args.dest, `.tsprov-${digest(archive.content)}`);
  const cleanUp = sh`x=${path}; trap 'rm -f -- "$x"' EXIT; trap 'exit 130' HUP INT TERM`;
  const unpack = sh`(
${unpackScript({ path }, args, names)}
)`;
  return [
    write({ path, content: archive.content, mode: 0o600 }),
    run(joinCommands([cleanUp, unpack], '\n'), { failure }),
  ];
}

function digest(content: Content): string {
  const text = content.kind === 'local' ? content.sha1 : JSON.stringify(content);
  return createHash('sha1').update(text).digest('hex').slice(0, 16);
}
