/** What it takes to have options in a host's boot line, and to take them out again. */
import { createHash } from 'node:crypto';
import {
  change,
  type Diff,
  type Effect,
  type Plan,
  run,
  type Step,
  TaskError,
} from '../../../engine/module.ts';
import { sh } from '../../../shared/shell.ts';
import { rewritten } from '../text-file.ts';
import { withOptions, withoutEffect, withoutOptions, wordsOf } from './boot-line.ts';
import {
  type BootFile,
  backupName,
  backupsOf,
  hasBackups,
  type LineArgs,
  type LineState,
  nextLine,
  unprovenWords,
} from './line-state.ts';
import { BACKUP_FOLDER, GRUB_FILE, readOnlyMount } from './loader.ts';

interface Edit {
  readonly file: BootFile;
  /** Undefined: the file goes. */
  readonly text: string | undefined;
}

/** Throws TaskError where the file is not what the firmware reads, or must not be edited. */
export function planLine(now: LineState, args: LineArgs): Plan<LineState> {
  const wanted =
    args.state === 'present' ? wantedTexts(now, args) : originalTexts(now, args.options);
  const edits = wanted.filter(({ file, text }) =>
    text === undefined ? file.state !== null : text !== file.text,
  );
  for (const { file } of edits) refuseReadOnly(now, file);
  const isGrub = now.loader === 'grub';
  const steps = [
    ...(args.state === 'restored' || isGrub ? [] : edits.map(backUp)),
    ...edits.flatMap(editSteps),
    isGrub && (edits.length > 0 || isStale(now, args)) && run(UPDATE_GRUB),
    args.state === 'restored' && hasBackups(now.facts) && run(sh`rm -rf -- ${BACKUP_FOLDER}`),
  ];
  const files = now.files.map((file) => {
    const edit = edits.find((each) => each.file === file);
    if (edit === undefined) return file;
    return edit.text === undefined
      ? { ...file, text: '', state: null }
      : { ...rewritten(file, edit.text).file, isPart: file.isPart };
  });
  const effects = edits.map(editEffect);
  return change(now, { ...now, files }, steps, {
    effects,
    diff: edits.map(diffOf),
    warnings: args.state === 'present' ? warningsOf(now, args) : [],
  });
}

const UPDATE_GRUB = sh`if command -v update-grub >/dev/null; then update-grub; else grub-mkconfig -o /boot/grub/grub.cfg; fi`;

function wantedTexts(now: LineState, { options, file: given }: LineArgs): Edit[] {
  if (now.loader === 'grub') {
    const missing = withoutEffect(now.facts.grubOptions, options);
    return now.files.map((file) => ({ file, text: grubText(missing) }));
  }
  if (given === undefined) refuseOther(now);
  return now.files.map((file) => {
    if (!file.isPart) refuseUnfit(file);
    const text = withOptions(file.text, options);
    return { file, text: file.text === '' ? `${text}\n` : text };
  });
}

function grubText(options: readonly string[]): string | undefined {
  if (options.length === 0) return undefined;
  return `# Written by tsprov: options of the kernel of this node.
GRUB_CMDLINE_LINUX_DEFAULT="$GRUB_CMDLINE_LINUX_DEFAULT ${options.join(' ')}"
`;
}

/** The texts without what was put into them: an option that one of the backups does not have is ours. */
function originalTexts(now: LineState, options: readonly string[]): Edit[] {
  return now.files.map((file) => {
    if (file.path === GRUB_FILE) return { file, text: undefined };
    const backups = backupsOf(now, file.path);
    const ours = options.filter((each) => backups.some((text) => !wordsOf(text).includes(each)));
    const same = backups.find((text) => withOptions(text, options).trim() === file.text.trim());
    const text = same ?? withoutOptions(file.text, ours);
    const isMade = backups.includes('') && wordsOf(text).length === 0;
    return { file, text: isMade ? undefined : text };
  });
}

/** Whether GRUB's menu has not been made from its configuration yet. */
function isStale({ facts }: LineState, { options, state }: LineArgs): boolean {
  const lines = facts.grubMenu.split('\n').filter((line) => line !== '');
  const hasAll = lines.some((line) => withoutEffect(line, options).length === 0);
  return state === 'present' && lines.length > 0 && !hasAll;
}

function refuseOther(now: LineState): void {
  const [file] = now.files;
  const roots = wordsOf(nextLine(now)).filter((word) => word.startsWith('root='));
  const running = wordsOf(now.facts.cmdline);
  if (file === undefined || roots.length === 0 || roots.some((each) => running.includes(each)))
    return;
  throw new TaskError(
    `${file.path} has ${roots.join(' ')}, but the kernel was started with ${running.filter((each) => each.startsWith('root=')).join(' ') || 'no root='}: the firmware reads another file (this one was chosen because ${now.why})`,
    { hint: 'name the file that the firmware reads in `file`', isCertain: true },
  );
}

function refuseUnfit({ path, text, state }: BootFile): void {
  if (state === null) {
    throw new TaskError(`${path} does not exist`, {
      hint: 'mount the firmware partition, or name the file that the firmware reads in `file`',
    });
  }
  if (/DO NOT EDIT/.test(text)) {
    throw new TaskError(`${path} is a note that says not to edit it`, {
      hint: 'mount the firmware partition at the place that the note names',
    });
  }
  if (!wordsOf(text.split('\n')[0] ?? '').some((word) => word.startsWith('root='))) {
    throw new TaskError(`the first line of ${path} has no root=: it is no boot line`, {
      hint: 'repair the file, or name the file that the firmware reads in `file`',
    });
  }
}

function refuseReadOnly({ facts }: LineState, { path }: BootFile): void {
  const mount = readOnlyMount(facts, path);
  if (mount === undefined) return;
  throw new TaskError(`${path} cannot be written: ${mount} is mounted read-only`, {
    hint: `mount -o remount,rw ${mount}; a card that went read-only by itself is failing`,
  });
}

/** Once for each text that the file had. */
function backUp({ file: { path, text, state } }: Edit): Step {
  const hash = createHash('sha256').update(text).digest('hex').slice(0, 12);
  const copy = `${backupName(path)}.${hash}`;
  const read = state === null ? sh`:` : sh`cat -- ${path}`;
  const make = sh`[ -e ${copy} ] || { ${read} >${`${copy}.new`} && sync && mv -- ${`${copy}.new`} ${copy} && sync; }`;
  return run(sh`mkdir -p -- ${BACKUP_FOLDER} && { ${make}; }`);
}

function editSteps({ file, text }: Edit): Step[] {
  if (text === undefined) return [run(sh`rm -f -- ${file.path}`)];
  return [
    ...(file.path === GRUB_FILE ? [run(sh`mkdir -p /etc/default/grub.d`)] : []),
    rewritten(file, text, { durable: true }).step,
  ];
}

function editEffect({ file, text }: Edit): Effect {
  if (text === undefined) return { kind: 'path', name: file.path, state: undefined };
  return rewritten(file, text).effect;
}

function diffOf({ file: { path, text: before }, text }: Edit): Diff {
  return { before, after: text ?? '', beforeHeader: path, afterHeader: path };
}

function warningsOf(now: LineState, { options }: LineArgs): string[] {
  const [file, trial] = now.files;
  const unproven = unprovenWords(now, options);
  return [
    ...(now.inert === undefined
      ? []
      : [`${now.inert} is not what the firmware reads: it is left as it is (${now.why})`]),
    ...(unproven.length === 0
      ? []
      : [
          `${file?.path} has words that the running kernel was not started with: ${unproven.join(' ')}. Where it was not edited since the last boot, the firmware reads another file.`,
        ]),
    ...(trial === undefined || trial.isPart
      ? []
      : [
          `new boot files are waiting beside ${trial.path}: the next boot tries them first and takes twice as long`,
        ]),
  ];
}
