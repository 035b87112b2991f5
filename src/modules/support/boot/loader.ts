/** How a host gets its kernel's command line: read in one round trip, judged here. */
import { posix } from 'node:path';
import { type Reader, TaskError, type TextOutput } from '../../../engine/module.ts';
import { type Command, sh } from '../../../shared/shell.ts';
import { bootFileName } from './firmware-config.ts';

export const GRUB_FILE = '/etc/default/grub.d/99-tsprov.cfg';
export const BACKUP_FOLDER = '/var/lib/tsprov/boot';

/** Where the firmware partition of a Raspberry Pi is mounted; the second before Debian 12. */
const FIRMWARE_FOLDERS = ['/boot/firmware', '/boot'];
const STUB = /DO NOT EDIT/;

export interface BootFacts {
  /** As `/proc/device-tree/model` says; empty on machines without a device tree. */
  readonly model: string;
  /** What the running kernel was started with. */
  readonly cmdline: string;
  /** Texts of the firmware partition and of backups, by path. */
  readonly texts: ReadonlyMap<string, string>;
  /** Whether what is mounted at a point can only be read. */
  readonly mounts: ReadonlyMap<string, boolean>;
  readonly isContainer: boolean;
  readonly hasGrub: boolean;
  /** Debian's package that writes the boot file anew with every kernel, from `/etc/default/raspi-extra-cmdline`. */
  readonly hasRaspiFirmware: boolean;
  /** The options that GRUB's other files give to Linux, and the lines of its menu. */
  readonly grubOptions: string;
  readonly grubMenu: string;
}

/** Where the firmware reads the line, and why it is there. */
export interface FirmwareLine {
  readonly folder: string;
  readonly file: string;
  /** The file that a trial boot of new files reads. */
  readonly trial: string;
  readonly why: string;
}

export async function readBootFacts(host: Reader): Promise<BootFacts> {
  return parseFacts(await host.read(factsScript()));
}

export function isRaspberryPi({ model }: BootFacts): boolean {
  return model.includes('Raspberry Pi');
}

/** What boots the machine. */
export function knownLoader(facts: BootFacts): 'firmware' | 'grub' | undefined {
  if (isRaspberryPi(facts)) return 'firmware';
  return facts.hasGrub ? 'grub' : undefined;
}

/** Prints, each with NUL after it: words, model, command line, mounts, GRUB's options and menu, path and text of files. */
function factsScript(): Command {
  return sh`if systemd-detect-virt -cq 2>/dev/null; then printf 'container '; fi
if [ -e /etc/default/grub ] && { command -v update-grub || command -v grub-mkconfig; } >/dev/null; then printf 'grub '; fi
for f in /etc/default/raspi-firmware /etc/kernel/postinst.d/z50-raspi-firmware; do if [ -e $f ]; then printf 'raspi-firmware '; fi; done; printf '\\0'
tr -d '\\0' </proc/device-tree/model 2>/dev/null; printf '\\0'
cat /proc/cmdline; printf '\\0'
cat /proc/mounts; printf '\\0'
if [ -e /etc/default/grub ]; then (
. /etc/default/grub
for f in /etc/default/grub.d/*.cfg; do if [ -e "$f" ] && [ "$f" != ${GRUB_FILE} ]; then . "$f"; fi; done
printf '%s %s' "$GRUB_CMDLINE_LINUX" "$GRUB_CMDLINE_LINUX_DEFAULT"
) 2>/dev/null; fi; printf '\\0'
grep -hE '^[[:space:]]*linux' /boot/grub/grub.cfg 2>/dev/null; printf '\\0'
for d in ${FIRMWARE_FOLDERS}; do for f in $d/*.txt $d/*/*.txt; do
if [ -f "$f" ]; then printf '%s\\0' "$f"; tr -d '\\0' <"$f"; printf '\\0'; fi
done; done
for f in ${BACKUP_FOLDER}/*; do if [ -f "$f" ]; then printf '%s\\0' "$f"; tr -d '\\0' <"$f"; printf '\\0'; fi; done`;
}

function parseFacts({ stdout }: TextOutput): BootFacts {
  const sections = stdout.split('\0');
  const [words = '', model = '', cmdline = '', mounts = '', options = '', menu = ''] = sections;
  const files = sections.slice(6);
  const texts = new Map<string, string>();
  for (let i = 0; i + 1 < files.length; i += 2) texts.set(files[i] ?? '', files[i + 1] ?? '');
  const has = (word: string) => words.split(' ').includes(word);
  return {
    model: model.trim(),
    cmdline: cmdline.trim(),
    texts,
    mounts: parseMounts(mounts),
    isContainer: has('container'),
    hasGrub: has('grub'),
    hasRaspiFirmware: has('raspi-firmware'),
    grubOptions: options,
    grubMenu: menu,
  };
}

/** The last mount on a point is the one that counts. */
function parseMounts(mounts: string): Map<string, boolean> {
  const points = new Map<string, boolean>();
  for (const line of mounts.split('\n')) {
    const [, point = '', , options = ''] = line.split(' ');
    if (point !== '') points.set(point, options.split(',').includes('ro'));
  }
  return points;
}

/** The mount point that holds a file, where that can only be read. */
export function readOnlyMount({ mounts }: BootFacts, file: string): string | undefined {
  for (let at = posix.dirname(file); ; at = posix.dirname(at)) {
    if (mounts.has(at)) return mounts.get(at) === true ? at : undefined;
    if (at === '/') return undefined;
  }
}

/** The file that the firmware really reads. Throws TaskError where there is none on the host. */
export function firmwareLine(facts: BootFacts): FirmwareLine {
  const { texts, model } = facts;
  const isReal = (path: string) => texts.has(path) && !STUB.test(texts.get(path) ?? '');
  const folder = FIRMWARE_FOLDERS.find((each) =>
    ['config.txt', 'cmdline.txt'].some((name) => isReal(`${each}/${name}`)),
  );
  if (folder === undefined) {
    throw new TaskError('no firmware partition is mounted at /boot/firmware or /boot', {
      hint: 'mount it; where the board boots over the network, edit the line on the boot server',
    });
  }
  const names = new Map([...texts].map(([path, text]) => [posix.relative(folder, path), text]));
  const { path, plain } = bootFileName(names, { model, isTrial: false });
  // The firmware does without a prefix that leads nowhere.
  const name = isReal(`${folder}/${path}`) || !isReal(`${folder}/${plain}`) ? path : plain;
  const trial = bootFileName(names, { model, isTrial: true }).path;
  const why =
    name === 'cmdline.txt'
      ? `the default of ${folder}/config.txt`
      : `${folder}/config.txt says so (os_prefix, cmdline)`;
  return { folder, file: `${folder}/${name}`, trial: `${folder}/${trial}`, why };
}
