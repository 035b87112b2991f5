/** Runs scripts with the real shell of this machine, but without programs: nothing outside a folder is touched. */
import { spawnSync } from 'node:child_process';
import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { quote } from '../../src/shared/shell.ts';

/** The program that hostile values call. */
export const MARK = 'tsprov-mark';
/** How hostile values begin that a program could take for options. */
export const DASH = '-tsprov-dash';

/** Programs that only run others, or that the scripts could not go on without. */
const REAL = ['sh', 'bash', 'xargs', 'env', 'timeout'];
const BUILT_IN =
  /^(?:if|then|else|elif|fi|for|do|done|while|until|case|esac|in|cd|echo|printf|test|set|export|trap|exit|exec|eval|read|shift|umask|unset|wait|kill|command|true|false|return|local|break|continue)$/;
const TIME_LIMIT_MS = 120_000;

export interface SandboxRun {
  /** Indexes of the scripts in which a hostile value was run. */
  readonly ran: readonly number[];
  /** The words of programs that got a value which begins with DASH where it counts as an option. */
  readonly options: readonly (readonly string[])[];
}

/** Runs the scripts one after the other, as nobody where the tests run as root. */
export function runInSandbox(scripts: readonly string[]): SandboxRun {
  const folder = mkdtempSync(join(tmpdir(), 'tsprov-sandbox-'));
  try {
    makePrograms(folder, scripts);
    chmodSync(folder, 0o777);
    const lines = scripts.map(
      (script, i) => `( eval ${quote(script)} ) </dev/null >/dev/null 2>&1
[ ! -e ${folder}/ran ] || { echo ${i}; /bin/rm -f ${folder}/ran; }`,
    );
    // A function starts sooner than a program.
    const functions = programsIn(scripts)
      .filter((name) => /^\w+$/.test(name))
      .map((name) => `${name}() { stub ${name} "$@"; }`);
    const { status, stdout, error, stderr } = spawnSync('/bin/sh', [], {
      input: [stubFunction(folder), ...functions, ...lines].join('\n'),
      cwd: folder,
      env: { PATH: join(folder, 'bin'), HOME: folder, TMPDIR: folder },
      encoding: 'utf8',
      timeout: TIME_LIMIT_MS,
      maxBuffer: 1 << 28,
      ...(process.getuid?.() === 0 && { uid: 65_534, gid: 65_534 }),
    });
    if (status !== 0) throw new Error(`the scripts did not end well: ${error ?? stderr}`);
    return { ran: stdout.split('\n').filter(Boolean).map(Number), options: readOptions(folder) };
  } finally {
    rmSync(folder, { recursive: true, force: true, maxRetries: 10 });
  }
}

/** Names that could be programs in the scripts. */
function programsIn(scripts: readonly string[]): string[] {
  const words = scripts.flatMap((script) => script.match(/(?<![\w-])[a-z][\w.-]*\b/g) ?? []);
  const others = [...new Set(words)].filter((word) => word.length < 100 && !BUILT_IN.test(word));
  return others.filter((word) => !REAL.includes(word) && word !== MARK);
}

/** Stands for every program: it does nothing, and notes values that would be options. Its clock runs fast. */
function stubFunction(folder: string): string {
  return `stub() {
for w; do case $w in ${DASH}*) printf '%s\\0' "$@" >>${folder}/options; echo >>${folder}/options; break;; esac; done
case $1 in mktemp) echo ${folder}/w;; date) echo $(($(/bin/date +%s%N) / 1000000));; id | wc) echo 1;; esac
}`;
}

function makePrograms(folder: string, scripts: readonly string[]): void {
  const bin = join(folder, 'bin');
  mkdirSync(bin);
  mkdirSync(join(folder, 'w'));
  chmodSync(join(folder, 'w'), 0o777);
  const stub = join(folder, 'stub');
  writeFileSync(stub, `#!/bin/sh\n${stubFunction(folder)}\nstub "\${0##*/}" "$@"\n`, {
    mode: 0o755,
  });
  writeFileSync(join(bin, MARK), `#!/bin/sh\n: >${folder}/ran\n`, { mode: 0o755 });
  for (const name of REAL) {
    const real = ['/bin', '/usr/bin'].map((directory) => join(directory, name)).find(existsSync);
    symlinkSync(real ?? stub, join(bin, name));
  }
  for (const name of programsIn(scripts)) symlinkSync(stub, join(bin, name));
}

/** A value is no option behind `--`, and where it is the value of the option before it. */
function readOptions(folder: string): string[][] {
  const file = join(folder, 'options');
  if (!existsSync(file)) return [];
  const calls = readFileSync(file, 'utf8').split('\0\n').slice(0, -1);
  return calls
    .map((call) => call.split('\0'))
    .filter((words) => {
      const at = words.findIndex((word) => word.startsWith(DASH));
      return !words.slice(0, at).includes('--') && !/^--?[a-z]/i.test(words[at - 1] ?? '');
    });
}
