/** What apt-get prints. */
import { table } from '../../../shared/table.ts';

/** One thing that apt-get does, from its simulation. */
export interface AptAction {
  readonly kind: 'install' | 'remove' | 'configure' | 'delete';
  /** With architecture where it is not the host's own. */
  readonly name: string;
  readonly version?: string;
}

const VERBS: Readonly<Record<string, AptAction['kind']>> = table({
  Inst: 'install',
  Remv: 'remove',
  Purg: 'remove',
  Conf: 'configure',
  Del: 'delete',
});

/** Reads `Inst sl (5.02 Debian:12 [amd64])`, `Remv sl [5.02]`, `Purg sl [5.02]`, `Conf sl (…)`, `Del sl 5.02 [9 kB]`. */
export function parseActions(stdout: string): AptAction[] {
  const lines = stdout.matchAll(/^(Inst|Remv|Purg|Conf|Del) (\S+)(?: \[[^\]]*\])?(?: \((\S+))?/gm);
  const actions = [...lines].map(([, verb = '', name = '', version]) => ({
    kind: VERBS[verb] ?? 'install',
    name,
    ...(version !== undefined && { version }),
  }));
  const installed = new Set(
    actions.filter(({ kind }) => kind === 'install').map(({ name }) => name),
  );
  return actions.filter(({ kind, name }) => kind !== 'configure' || !installed.has(name));
}

/** The part that says what changes, as Ansible shows it for `--diff`. */
export function parseDiff(stdout: string): string {
  const lines = stdout.split('\n');
  const start = lines.findLastIndex((line) =>
    /^(Reading state information|Calculating upgrade)/.test(line),
  );
  const end = lines.findIndex((line) => /^\d+ upgraded, \d+ newly installed/.test(line));
  return lines.slice(start + 1, end + 1).join('\n');
}

/** The errors of apt-get, one line each, without the mark `E: `. */
export function parseErrors(stderr: string): string[] {
  const lines = stderr.split('\n').filter((line) => /^E: /.test(line));
  return [...new Set(lines.map((line) => line.slice(3)))];
}
