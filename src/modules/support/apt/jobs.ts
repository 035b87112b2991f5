/** The runs of apt-get that a task needs. Pure. */
import { TaskError } from '../../../engine/module.ts';
import type { AptArgs } from './args.ts';
import type { AptJob } from './command.ts';
import type { DebFile } from './facts.ts';
import { type PackageKnowledge, resolveInstall, resolveRemoval } from './resolve.ts';
import { compareVersions } from './version.ts';

type Known = PackageKnowledge & { readonly deb?: DebFile };

/** The jobs, in order, that apt-get is to be asked about. Throws TaskError where the wish is impossible. */
export function jobsOf(args: AptArgs, known: Known): AptJob[] {
  if (args.upgrade !== 'no') return [upgradeJob(args.upgrade)];
  if (args.deb !== undefined) return debJobs(args.deb, args, known);
  if (args.name !== undefined && args.name.length > 0) return packageJobs(args.name, args, known);
  const jobs: (AptJob | false)[] = [
    args.state === 'fixed' && { verb: 'install', words: [] },
    args.autoclean && { verb: 'autoclean', words: [] },
    args.autoremove && { verb: 'autoremove', words: [] },
  ];
  return jobs.filter((job) => job !== false);
}

function upgradeJob(upgrade: AptArgs['upgrade']): AptJob {
  const isFull = upgrade === 'full' || upgrade === 'dist';
  return { verb: isFull ? 'dist-upgrade' : 'upgrade', words: [] };
}

function packageJobs(names: readonly string[], args: AptArgs, known: Known): AptJob[] {
  const all = names.some((name) => name.trim() === '*');
  if (all && args.state === 'latest') {
    if (names.length === 1) return [upgradeJob('yes')];
    throw new TaskError(
      'unable to install additional packages when upgrading all installed packages',
    );
  }
  if (args.state === 'build-dep') return [{ verb: 'build-dep', words: names }];
  const { words, unknown } =
    args.state === 'absent' ? resolveRemoval(args, known) : resolveInstall(args, known);
  if (words.length === 0 && args.state !== 'fixed') return [];
  return [{ verb: args.state === 'absent' ? 'remove' : 'install', words, unknown }];
}

function debJobs(deb: string, args: AptArgs, { dpkg, deb: file }: Known): AptJob[] {
  const job: AptJob = { verb: 'install', words: [], deb };
  if (file === undefined) return [job];
  const current = dpkg.packages.find(
    ({ name, arch, status }) =>
      name === file.name && (arch === file.arch || arch === 'all') && status === 'installed',
  );
  const difference = current === undefined ? 1 : compareVersions(file.version, current.version);
  if (difference === 0) return [];
  if (difference < 0 && !args.allow_downgrade && !args.force) {
    throw new TaskError(
      `package "${file.name}" is installed in version ${current?.version}, later than ${file.version} of "${deb}"`,
      { hint: 'set "allow_downgrade: true" to go back' },
    );
  }
  return [job];
}
