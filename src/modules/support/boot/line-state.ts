/** Where a host's boot line is written, and what the running kernel shows of it. */
import { type Reader, TaskError } from '../../../engine/module.ts';
import { readTextFile, type TextFile } from '../text-file.ts';
import { withoutEffect, wordsOf } from './boot-line.ts';
import {
  BACKUP_FOLDER,
  type BootFacts,
  firmwareLine,
  GRUB_FILE,
  knownLoader,
  readBootFacts,
} from './loader.ts';

export interface LineArgs {
  readonly options: readonly string[];
  readonly state: 'present' | 'restored';
  readonly loader: 'auto' | 'firmware' | 'grub';
  readonly file: string | undefined;
}

export interface BootFile extends TextFile {
  /** Not a boot line yet: what a package adds to it, or GRUB's file. May be missing. */
  readonly isPart: boolean;
}

export interface LineState {
  readonly facts: BootFacts;
  readonly loader: 'firmware' | 'grub';
  readonly why: string;
  /** The first is the one that counts for the next boot. */
  readonly files: readonly BootFile[];
  /** A file that looks like the boot line, which nothing reads. */
  readonly inert: string | undefined;
}

const EXTRA_FILE = '/etc/default/raspi-extra-cmdline';

/** Throws TaskError where the place of the boot line is not known. */
export async function probeLine(host: Reader, args: LineArgs): Promise<LineState> {
  const [facts, grub] = await Promise.all([readBootFacts(host), readTextFile(host, GRUB_FILE)]);
  if (args.state === 'restored' && grub.state === null && !hasBackups(facts)) {
    return { facts, loader: 'firmware', why: 'nothing was changed', files: [], inert: undefined };
  }
  const loader = args.file === undefined ? loaderOf(facts, args.loader) : 'firmware';
  if (loader === 'firmware') return probeFirmware(host, facts, args.file);
  const files = [{ ...grub, isPart: true }];
  return { facts, loader, why: 'the machine boots by GRUB', files, inert: undefined };
}

async function probeFirmware(
  host: Reader,
  facts: BootFacts,
  file: string | undefined,
): Promise<LineState> {
  const place = file === undefined ? firmwareLine(facts) : given(file);
  const usual = `${place.folder}/cmdline.txt`;
  const hasTrial = facts.texts.has(place.trial) && place.trial !== place.file;
  const paths = [
    { path: place.file, isPart: false },
    ...(hasTrial ? [{ path: place.trial, isPart: false }] : []),
    ...(facts.hasRaspiFirmware ? [{ path: EXTRA_FILE, isPart: true }] : []),
  ];
  const files = await Promise.all(
    paths.map(async ({ path, isPart }) => ({ ...(await readTextFile(host, path)), isPart })),
  );
  const isInert = place.file !== usual && facts.texts.has(usual);
  return { facts, loader: 'firmware', why: place.why, files, inert: isInert ? usual : undefined };
}

function given(file: string) {
  return { folder: '', file, trial: file, why: 'the argument `file` names it' };
}

function loaderOf(facts: BootFacts, wanted: LineArgs['loader']): LineState['loader'] {
  if (wanted !== 'auto') return wanted;
  const known = knownLoader(facts);
  if (known !== undefined) return known;
  const what = facts.model === '' ? 'this machine' : `a ${facts.model}`;
  throw new TaskError(`the kernel's command line of ${what} is in no place that is known here`, {
    hint: facts.isContainer
      ? 'a container has no kernel of its own'
      : 'the machine boots neither by the firmware of a Raspberry Pi nor by GRUB; name the file in `file`',
  });
}

/** The command line that the next boot will have, as far as files tell. */
export function nextLine({ facts, loader, files }: LineState): string {
  const [file] = files;
  if (loader === 'firmware') return file?.text.split('\n')[0] ?? '';
  const [, ours = ''] = /_DEFAULT="\$GRUB_CMDLINE_LINUX_DEFAULT (.*)"/.exec(file?.text ?? '') ?? [];
  return `${facts.grubOptions} ${ours}`;
}

/** Options that count in the next boot and not in the running kernel, or the other way round. */
export function pendingOptions(state: LineState, options: readonly string[]): string[] {
  const next = withoutEffect(nextLine(state), options);
  const running = withoutEffect(state.facts.cmdline, options);
  return options.filter((option) => next.includes(option) !== running.includes(option));
}

/**
 * Words of the boot file that never reached the running kernel, beside the options that are being set: a sign that the
 * firmware reads another file. The firmware itself writes `serial0` as the port that it is.
 */
export function unprovenWords({ facts, files }: LineState, options: readonly string[]): string[] {
  const [file] = files;
  if (file === undefined || file.isPart) return [];
  const running = new Set(wordsOf(facts.cmdline));
  return wordsOf(file.text.split('\n')[0] ?? '').filter(
    (word) => !running.has(word) && !options.includes(word) && !/^\w+=serial\d/.test(word),
  );
}

/** The backups of a file: what it was before it was edited for the first time, and for every other text since. */
export function backupsOf({ facts }: LineState, path: string): string[] {
  const prefix = `${backupName(path)}.`;
  // One that was cut short has another ending.
  const isBackup = (name: string) => name.startsWith(prefix) && /\.[0-9a-f]{12}$/.test(name);
  return [...facts.texts].filter(([name]) => isBackup(name)).map(([, text]) => text);
}

export function hasBackups({ texts }: BootFacts): boolean {
  return [...texts.keys()].some((path) => path.startsWith(`${BACKUP_FOLDER}/`));
}

/** Outside the firmware partition: that is small, and FAT refuses names with a colon. */
export function backupName(path: string): string {
  return `${BACKUP_FOLDER}/${path.slice(1).replaceAll('/', '-')}`;
}
