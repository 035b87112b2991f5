import { chmod, readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type CallEnd, type Round, runWithin } from './play-role.ts';
import { type Fault, readFaults, readShown } from './read-output.ts';
import type { Site } from './site.ts';
import type { Target } from './targets.ts';

/** One command that a script has called. */
interface Call extends CallEnd {
  readonly cwd: string;
  readonly stdout: string;
  readonly stderr: string;
}

/** Plays a target that is a script. It goes on after a line that fails, so that every such line is seen. */
export async function playScript(
  target: Target,
  site: Site,
  { seconds, wanted }: { seconds: number; wanted: readonly CallEnd[] },
): Promise<Round> {
  const folder = join(site.integration, 'targets', target.name);
  const script = join(folder, 'runme.sh');
  const failures = join(site.folder, 'failures');
  await writeFile(failures, '');
  await writeFile(script, goingOn(await readFile(script, 'utf8'), failures));
  await chmod(script, 0o755);
  const { ANSIBLE_CONFIG, ...rest } = site.env;
  const hasOwn = (await readdir(folder)).includes('ansible.cfg');
  const env = {
    ...(hasOwn ? rest : { ...rest, ANSIBLE_CONFIG }),
    ANSIBLE_PLAYBOOK_DIR: folder,
    JUNIT_OUTPUT_DIR: undefined,
  };
  const ended = await runWithin(seconds, ['./runme.sh'], { cwd: folder, env });
  const calls = await readCalls(site);
  const lines = await readFailures(failures, script);
  if (ended.code === 124) lines.push({ file: script, line: 0, message: 'did not end in time' });
  const expected = new Map(wanted.map(({ command, code }) => [command, code]));
  const stopped = calls.filter(({ command, code }) => code !== 0 && expected.get(command) === 0);
  return {
    shown: readShown(calls.map(({ stdout }) => stdout).join('\n')),
    faults: stopped.flatMap(({ stdout, stderr, cwd }) => readFaults(`${stdout}\n${stderr}`, cwd)),
    others: lines,
    calls: calls.map(({ command, code }) => ({ command, code })),
    output: `${ended.stdout}\n${ended.stderr}`,
  };
}

/** The script with `-e` off and every failing line noted; each line keeps its number. */
function goingOn(text: string, failures: string): string {
  const [first = '', second = '', ...rest] = text.split('\n');
  const note = `trap 'echo "$LINENO $? $BASH_COMMAND" | head -n 1 >> ${failures}' ERR; set -E;`;
  const lines = [second, ...rest].map((line) =>
    line
      .replace(/^(\s*set -)([a-z]+)/, (_, set: string, flags: string) =>
        flags === 'e' ? ': ' : `${set}${flags.replace('e', '')}`,
      )
      .replace(/\bset -o errexit\b/, ':')
      .replace(/\bexit 1\b/, `echo "$LINENO 1 exit" >> ${failures}`),
  );
  return [first, `${note} ${lines[0]}`, ...lines.slice(1)].join('\n');
}

async function readFailures(path: string, script: string): Promise<Fault[]> {
  const text = await readFile(path, 'utf8');
  return text
    .split('\n')
    .filter(Boolean)
    .map((line) => {
      const [number, code, ...command] = line.split(' ');
      return { file: script, line: Number(number), message: `${code}: ${command.join(' ')}` };
    });
}

async function readCalls({ folder }: Site): Promise<Call[]> {
  const logs = join(folder, 'logs');
  const names = (await readdir(logs)).filter((name) => name.endsWith('.cmd')).sort();
  const seen = new Map<string, number>();
  return Promise.all(
    names.map(async (name) => {
      const read = (suffix: string) =>
        readFile(join(logs, name.replace('cmd', suffix)), 'utf8').catch(() => '');
      const words = (await read('cmd')).trim().replaceAll('\n', ' ').replaceAll(folder, '');
      const count = (seen.get(words) ?? 0) + 1;
      seen.set(words, count);
      return {
        command: `${count} ${words}`,
        code: Number(await read('code')),
        cwd: (await read('cwd')).trim(),
        stdout: await read('out'),
        stderr: await read('err'),
      };
    }),
  );
}
