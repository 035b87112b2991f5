/** What `command` and `shell` share: when they run, what a check run says, and their result. */
import { posix } from 'node:path';
import {
  change,
  type Effect,
  type Plan,
  type Reader,
  type Result,
  run,
  type StateModule,
  type StepOutput,
  TaskError,
} from '../../engine/module.ts';
import { boolean, optional, path, string } from '../../shared/schema.ts';
import { type Command, sh } from '../../shared/shell.ts';
import { globWord } from './shell-word.ts';
import { joinWords, parseTimedRun, timedRun } from './timed-run.ts';

/** Arguments that both modules take. */
export const commandArgs = {
  chdir: optional(path('Directory to change to first.')),
  creates: optional(
    path('Path or wildcard pattern; where something matches it the command is not run.'),
  ),
  removes: optional(
    path('Path or wildcard pattern; where nothing matches it the command is not run.'),
  ),
  stdin: optional(string('Text for the standard input of the command.')),
  stdin_add_newline: boolean('Whether a newline is added to `stdin`.', { default: true }),
  strip_empty_ends: boolean('Whether line ends at the end of the output are removed.', {
    default: true,
  }),
};

export const commandReturns = {
  cmd: 'The command that was run.',
  rc: 'Exit code of the command.',
  start: 'When it started, by the clock of the host.',
  end: 'When it ended, by the clock of the host.',
  delta: 'How long it took.',
  stdout: 'What it printed.',
  stderr: 'What it printed as errors.',
};

export interface CommandArgs {
  readonly chdir: string | undefined;
  readonly creates: string | undefined;
  readonly removes: string | undefined;
  readonly stdin: string | undefined;
  readonly stdin_add_newline: boolean;
  readonly strip_empty_ends: boolean;
}

/** What decides whether the command runs. A question that was not asked is answered yes. */
export interface Occasion {
  readonly hasDirectory: boolean;
  readonly isCreated: boolean;
  readonly isThereToRemove: boolean;
}

/** A command, ready to be run. */
export interface Task {
  readonly args: CommandArgs;
  /** As the result shows it. */
  readonly cmd: string | readonly string[];
  /** The words to run on the host. */
  readonly words: readonly Command[];
  readonly warnings?: readonly string[];
}

/** The beats of a module that runs the command which its arguments come to. */
export function commandBeats<Args extends CommandArgs>(
  taskOf: (args: Args) => Task,
): Required<Pick<StateModule<Args, Args, Occasion>, 'alwaysActs' | 'probe' | 'plan' | 'report'>> {
  return {
    alwaysActs: (args) => !args.has('creates') && !args.has('removes'),
    probe: probeOccasion,
    plan: (occasion, args) => planCommand(occasion, taskOf(args)),
    report: (occasion, args, _, outputs) => reportCommand(occasion, taskOf(args), outputs),
  };
}

/** Looks whether `chdir`, `creates` and `removes` are there; asks nothing where none is given. */
async function probeOccasion(host: Reader, args: CommandArgs): Promise<Occasion> {
  const { chdir, creates, removes } = args;
  const [directory, isCreated, isThereToRemove] = await Promise.all([
    chdir === undefined ? undefined : host.path(chdir, { follow: true }),
    creates ? matches(host, creates, chdir) : false,
    removes ? matches(host, removes, chdir) : true,
  ]);
  const hasDirectory = chdir === undefined || directory?.type === 'directory';
  return { hasDirectory, isCreated, isThereToRemove };
}

async function matches(host: Reader, pattern: string, chdir: string | undefined): Promise<boolean> {
  const at = chdir === undefined ? pattern : posix.resolve(chdir, pattern);
  if (!/[*?[]/.test(pattern)) return await host.exists(at);
  const script = sh`set -- ${globWord(at)}
for p in "$@"; do if [ -e "$p" ] || [ -L "$p" ]; then printf '%s\\0' "$p"; fi; done`;
  const found = new Set((await host.read(script)).stdout.split('\0').filter((each) => each !== ''));
  for (const { name, state } of host.predictedAll('path')) {
    if (state === undefined) found.delete(name);
    else if (globPattern(at).test(name)) found.add(name);
  }
  return found.size > 0;
}

/** A wildcard pattern as a regular expression. */
function globPattern(glob: string): RegExp {
  const parts = glob.split(/([*?]|\[[^\]/]+\])/).map((part, i) => {
    if (i % 2 === 0) return part.replace(/[$()+.\\^{|}[\]]/g, '\\$&');
    if (part.startsWith('[')) return part.replace('[!', '[^');
    return part === '*' ? '[^/]*' : '[^/]';
  });
  return new RegExp(`^${parts.join('')}$`, 's');
}

/** One step that runs whatever the state, unless `creates` or `removes` decides. Throws TaskError without `chdir`. */
function planCommand(occasion: Occasion, task: Task): Plan<Occasion> {
  const { cmd, args, words, warnings = [] } = task;
  if (!occasion.hasDirectory) throw noDirectory(task);
  const reason = reasonToSkip(occasion, args);
  if (reason !== undefined) {
    const unknowable = skipped(cmd, reason, 'Would not run');
    return change(occasion, occasion, [], { unknowable, warnings });
  }
  const conditional = Boolean(args.creates ?? args.removes);
  const unknowable = {
    ...unrun(cmd),
    msg: 'Command would have run if not in check mode',
    ...(conditional ? { changed: true } : { changed: false, skipped: true }),
  };
  const { stdin, stdin_add_newline: addsNewline, chdir } = args;
  const step = run(timedRun(words, chdir === undefined ? undefined : sh`${chdir}`), {
    always: true,
    accept: 'any',
    ...(stdin !== undefined && { stdin: addsNewline ? `${stdin}\n` : stdin }),
  });
  const name = `command ${shown(cmd)}`;
  const other: Effect = { kind: 'other', name, makesFiles: true };
  const effects = [other, ...promises(args, name)];
  return change(occasion, occasion, [step], { unknowable, effects, warnings });
}

/** What `creates` names will be there, of whatever kind; what `removes` names may be gone. */
function promises({ creates, removes, chdir = '/' }: CommandArgs, because: string): Effect[] {
  const isPath = (path: string | undefined): path is string => !!path && !/[*?[]/.test(path);
  const at = (path: string) => posix.resolve(chdir, path);
  return [
    ...(isPath(removes) ? [{ kind: 'unknown-path', name: at(removes), because } as const] : []),
    ...(isPath(creates)
      ? [{ kind: 'unknown-path', name: at(creates), because, exists: true } as const]
      : []),
  ];
}

/** The result of a command. Throws TaskError where it failed or did not start. */
function reportCommand(occasion: Occasion, task: Task, [output]: readonly StepOutput[]): Result {
  const { cmd, args } = task;
  if (output === undefined) {
    return skipped(cmd, reasonToSkip(occasion, args) ?? '', 'Did not run');
  }
  const { obstacle, stdout, ...times } = parseTimedRun(output.stdout);
  if (obstacle === 'chdir') throw noDirectory(task);
  if (obstacle !== undefined) throw notStarted(task, obstacle);
  const trim = (text: string) => (args.strip_empty_ends ? text.replace(/[\r\n]+$/, '') : text);
  const streams = { stdout: trim(stdout), stderr: trim(output.stderr) };
  const result = { changed: true, cmd, rc: output.code, ...times, ...streams };
  if (output.code === 0) return { ...result, msg: '' };
  throw new TaskError('non-zero return code', { result });
}

function reasonToSkip(occasion: Occasion, { creates, removes }: CommandArgs): string | undefined {
  if (creates && occasion.isCreated) return `${creates} exists`;
  if (removes && !occasion.isThereToRemove) return `${removes} does not exist`;
  return undefined;
}

function skipped(cmd: Task['cmd'], reason: string, verb: string) {
  const said = {
    stdout: `skipped, since ${reason}`,
    msg: `${verb} command since ${quoted(reason)}`,
  };
  return { ...unrun(cmd), ...said };
}

/** `/x exists` as `'/x' exists`. */
function quoted(reason: string): string {
  return reason.replace(/^(.*) (exists|does not exist)$/s, "'$1' $2");
}

function unrun(cmd: Task['cmd']) {
  return {
    changed: false,
    cmd,
    rc: 0,
    start: null,
    end: null,
    delta: null,
    stdout: '',
    stderr: '',
  };
}

function noDirectory({ cmd, args }: Task): TaskError {
  return new TaskError('Unable to change directory before execution.', {
    hint: `"${args.chdir}" is not a directory that can be entered`,
    result: { ...unrun(cmd), rc: null },
  });
}

/** Ansible gives the errno as `rc`: 2 where the program is missing, 13 where it may not be executed. */
function notStarted({ cmd }: Task, errno: number): TaskError {
  const line = shown(cmd);
  const why = errno === 2 ? 'there is no such program' : 'the program may not be executed';
  return new TaskError('Error executing command.', {
    hint: `${why}; use the shell module for built-ins, pipes and redirections`,
    result: { rc: errno, cmd: line, stdout: '', stderr: '' },
  });
}

function shown(cmd: Task['cmd']): string {
  return typeof cmd === 'string' ? cmd : joinWords(cmd);
}
