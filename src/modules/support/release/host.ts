/** What a host has of a release: its architecture, the stamp of an earlier run, and whether the files are still those. */
import { type Reader, TaskError } from '../../../engine/module.ts';
import { sh } from '../../../shared/shell.ts';
import type { ReleaseArgs } from './args.ts';

export type Architecture = 'amd64' | 'arm64';

export interface Stamp {
  readonly version: string;
  readonly url: string;
  readonly sha256: string;
}

export interface Installed {
  readonly stamp: Stamp;
  /** Absolute paths of what was installed. */
  readonly paths: readonly string[];
  /** Every file has the size and the time that it had then. */
  readonly isIntact: boolean;
}

export interface ReleaseState {
  readonly architecture: Architecture | undefined;
  /** What the host said of itself. */
  readonly machine: string;
  readonly installed?: Installed;
}

/** The file on the host that says what was installed: a line of JSON, then size, time and path of each file. */
export function stampPath({ state_dir: directory, name }: Named): string {
  return `${directory}/${name}`;
}

type Named = Pick<ReleaseArgs, 'name' | 'state_dir'>;

/** Reads the host. */
export async function probeRelease(host: Reader, named: Named): Promise<ReleaseState> {
  const stamp = stampPath(named);
  const { stdout } = await host.read(sh`uname -m; od -An -v -tx1 -N20 /bin/sh | tr -d ' \\n'; echo
[ -f ${stamp} ] || exit 0
cat ${stamp}; echo ==now==
tail -n +2 ${stamp} | cut -d ' ' -f 3- | tr '\\n' '\\0' | xargs -0 stat -c '%s %Y %n' -- 2>/dev/null
:`);
  const [machine = '', head = '', ...rest] = stdout.split('\n');
  const userland = architectureOfElf(head) ?? architectureOf(machine);
  const installed = parseStamp(rest.join('\n'));
  const architecture = userland === 'other' ? undefined : userland;
  return { architecture, machine, ...(installed !== undefined && { installed }) };
}

function parseStamp(text: string): Installed | undefined {
  const [noted = '', now] = text.split('==now==\n');
  const [header = '', ...files] = noted.trimEnd().split('\n');
  if (now === undefined) return undefined;
  const paths = files.map((line) => line.split(' ').slice(2).join(' '));
  return {
    stamp: JSON.parse(header) as Stamp, // We wrote it.
    paths,
    isIntact: files.join('\n') === now.trimEnd(),
  };
}

function architectureOf(machine: string): Architecture | 'other' {
  const names: Readonly<Record<string, Architecture>> = { x86_64: 'amd64', aarch64: 'arm64' };
  return names[machine] ?? 'other';
}

/** Of the first 20 bytes of a program, in hex; undefined where it is no ELF file. */
export function architectureOfElf(head: string): Architecture | 'other' | undefined {
  if (!head.startsWith('7f454c46')) return undefined;
  const machines: Readonly<Record<string, Architecture>> = { '3e00': 'amd64', b700: 'arm64' };
  return machines[head.slice(36, 40)] ?? 'other';
}

/** Throws TaskError where there are no files for the host. */
export function expectArchitecture({ architecture, machine }: ReleaseState): Architecture {
  if (architecture !== undefined) return architecture;
  const is64 = architectureOf(machine) !== 'other';
  throw new TaskError(
    is64
      ? `the host has a 32-bit userland on a 64-bit kernel (${machine})`
      : `there are no files for "${machine}"`,
    { hint: 'install a 64-bit system for arm64 or amd64' },
  );
}
