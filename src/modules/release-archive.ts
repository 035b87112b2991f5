import { posix } from 'node:path';
import {
  change,
  defineModule,
  type Effect,
  type PathState,
  run,
  type Step,
  type StepOutput,
  TaskError,
} from '../engine/module.ts';
import { sh } from '../shared/shell.ts';
import { type ReleaseArgs, releaseArgs } from './support/release/args.ts';
import {
  artifactOf,
  describe,
  isSame,
  type ReleaseInput,
  refuseDowngrade,
  trustWarning,
} from './support/release/artifact.ts';
import { readContents } from './support/release/contents.ts';
import { expectArchitecture, probeRelease, type ReleaseState } from './support/release/host.ts';
import { installSteps, removeSteps } from './support/release/install.ts';
import { resolveVersion } from './support/release/latest.ts';
import { readLocked, writeLocked } from './support/release/lock.ts';
import { memoryOf } from './support/release/memory.ts';
import { obtain } from './support/release/obtain.ts';

export const releaseArchive = defineModule<ReleaseArgs, ReleaseState, ReleaseInput>({
  name: 'release_archive',
  aliases: [],
  summary:
    'Install the files of a release from GitHub, a mirror or a directory, proved by their SHA-256.',
  args: releaseArgs,
  examples: [
    {
      title: 'Install the newest containerd, and the same one until the lock file is renewed',
      args: {
        name: 'containerd',
        repository: 'containerd/containerd',
        asset: 'containerd-{version}-linux-{arch}.tar.gz',
        checksum_asset: '{asset}.sha256sum',
        dest: '/usr/local',
        files: ['bin/containerd', 'bin/ctr'],
        lock_file: '{{ inventory_dir }}/tsprov.lock.yaml',
      },
    },
    {
      title: 'Install one version of a single program without any network',
      args: {
        name: 'runc',
        repository: 'opencontainers/runc',
        version: '1.4.3',
        asset: 'runc.{arch}',
        checksum_asset: 'runc.sha256sum',
        dest: '/usr/local/sbin',
        file_name: 'runc',
        files_dir: '/srv/releases',
      },
    },
    {
      title: 'Install one program of a large archive that is not at GitHub',
      args: {
        name: 'node',
        repository: 'nodejs/node',
        upstream: 'https://nodejs.org/dist/{tag}',
        version: '24.21.0',
        asset: 'node-{tag}-linux-{arch}.tar.gz',
        architecture_names: { amd64: 'x64' },
        checksum_asset: 'SHASUMS256.txt',
        dest: '/usr/local',
        strip: '1',
        files: ['bin/node'],
        only_files: true,
      },
    },
  ],
  returns: {
    name: 'What is installed.',
    version: 'Its version; `latest` where a check run cannot tell.',
    installed_version: 'The version that was there before.',
    architecture: 'What the files are for.',
    url: 'Where upstream has the file.',
    sha256: 'The SHA-256 of the file.',
    dest: 'The directory.',
    files: 'Paths of what was installed.',
  },

  async prepare(controller, args) {
    const memory = memoryOf(controller);
    const locked = readLocked(controller, memory, args);
    const resolution =
      args.state === 'absent' ? { problem: '' } : await resolveVersion(args, locked, memory);
    return { args, resolution, locked, memory };
  },

  probe: (host, { args }) => probeRelease(host, args),

  plan(current, input) {
    const { args } = input;
    const { installed } = current;
    if (args.state === 'absent') {
      const steps = installed === undefined ? [] : removeSteps(args, installed);
      const { installed: _, ...rest } = current;
      const effects = (installed?.paths ?? []).map(
        (name): Effect => ({ kind: 'path', name, state: undefined }),
      );
      return change(current, rest, steps, { effects });
    }
    const artifact = artifactOf(input, args.architecture ?? expectArchitecture(current));
    if (installed?.isIntact === true && isSame(installed.stamp, artifact)) {
      return change(current, current, []);
    }
    refuseDowngrade(current, artifact, args);
    const paths = args.files.map((each) => posix.join(args.dest, each));
    const stamp = { version: artifact.version, url: artifact.url, sha256: artifact.sha256 ?? '' };
    return change(
      current,
      { ...current, installed: { stamp, paths, isIntact: true } },
      [run(sh`: install ${artifact.url} below ${args.dest}`)],
      {
        effects: paths.map(fileEffect),
        diff: { prepared: describe(artifact, input) },
        ...(artifact.trust === 'first use' && { warnings: [trustWarning(artifact, args)] }),
      },
    );
  },

  async apply(host, plan, input) {
    const steps = input.args.state === 'absent' ? plan.steps : await stepsOf(plan.before, input);
    const outputs: StepOutput[] = [];
    for (const step of steps) outputs.push(await host.perform(step));
    return outputs;
  },

  report({ architecture, installed }, { args, resolution }, plan) {
    const { stamp, paths } = installed ?? {};
    return {
      name: args.name,
      dest: args.dest,
      version: 'version' in resolution ? resolution.version : args.version,
      installed_version: plan.before.installed?.stamp.version ?? null,
      architecture: args.architecture ?? architecture ?? null,
      ...(stamp && { url: stamp.url, sha256: stamp.sha256 === '' ? null : stamp.sha256 }),
      ...(paths && { files: paths }),
    };
  },
});

/** Brings the file to this machine, looks into it, notes it in the lock file; gives what is to be done on the host. */
async function stepsOf(current: ReleaseState, input: ReleaseInput): Promise<Step[]> {
  const { args, resolution, memory } = input;
  if ('problem' in resolution) throw new TaskError(resolution.problem);
  const architecture = args.architecture ?? expectArchitecture(current);
  const artifact = artifactOf(input, architecture);
  const obtained = await obtain(artifact, args, memory);
  const contents = await readContents(artifact, obtained, { args, architecture });
  const { version, url, asset, trust } = artifact;
  const { sha256 } = obtained;
  if (trust !== 'locked') {
    await writeLocked(memory, args, { version, asset, locked: { url, sha256, trust } });
  }
  const stamp = { version, url, sha256 };
  return installSteps(args, contents, { stamp, old: current.installed });
}

/** A program as later tasks of a check run see it. */
function fileEffect(path: string): Effect {
  const numbers = { uid: 0, gid: 0, size: 0, inode: 0, device: 0, links: 1 };
  const times = { atime: 0, mtime: 0, ctime: 0 };
  const state: PathState = {
    ...{ path, type: 'file', mode: 0o755, owner: 'root', group: 'root' },
    ...{ ...numbers, ...times },
  };
  return { kind: 'path', name: path, state };
}
