/** What a host swaps to now, and everything that would make it swap again: read in one round trip. */
import type { Reader, TextOutput } from '../../../engine/module.ts';
import { type Command, sh } from '../../../shared/shell.ts';
import { readTextFile, type TextFile } from '../text-file.ts';
import { type ConfigFile, RPI_DROP_IN, rpiMechanism, ZRAM_DROP_IN } from './generators.ts';
import { HELPER_SERVICES, parseUnits, type SwapUnit } from './units.ts';

/** Where it is kept what was disabled and masked, so that it can be undone. */
export const RECORD_FOLDER = '/var/lib/tsprov/swap';
const RECORD = `${RECORD_FOLDER}/units`;

/** A row of `/proc/swaps`. */
export interface ActiveSwap {
  readonly name: string;
  readonly usedKib: number;
}

export interface SwapState {
  readonly active: readonly ActiveSwap[];
  readonly availableKib: number;
  readonly units: readonly SwapUnit[];
  readonly fstab: TextFile;
  /** Configuration of zram-generator, our own file included; none where the host has no such generator. */
  readonly zram: readonly ConfigFile[];
  /** What rpi-swap does; `none` where the host has it not. */
  readonly rpiMechanism: string;
  /** Our own files. */
  readonly zramDropIn: TextFile;
  readonly rpiDropIn: TextFile;
  /** Lines `disable UNIT` and `mask UNIT`. */
  readonly record: TextFile;
}

const ROOTS = ['/etc', '/usr/local/lib', '/usr/lib'];
const ZRAM_FILES = ROOTS.map((root) => `${root}/systemd/zram-generator.conf`);
const RPI_FILES = ROOTS.map((root) => `${root}/rpi/swap.conf`);

/** Reads all of it. In a container running swap and its devices are the machine's: they are left out. */
export async function probeSwap(host: Reader): Promise<SwapState> {
  const [output, fstab, zramDropIn, rpiDropIn, record] = await Promise.all([
    host.read(swapScript()),
    readTextFile(host, '/etc/fstab'),
    readTextFile(host, ZRAM_DROP_IN),
    readTextFile(host, RPI_DROP_IN),
    readTextFile(host, RECORD),
  ]);
  const found = parseSections(output);
  const units = found.units.map((unit) => {
    const predicted = host.predicted('unit', unit.name);
    if (predicted === undefined) return unit;
    const { active = unit.active, enabled = unit.enabled } = predicted;
    return { ...unit, active, enabled, pulledBy: '' };
  });
  const zram = found.has('zram') ? effective(found.files, ZRAM_FILES, zramDropIn) : [];
  const rpi = effective(found.files, RPI_FILES, rpiDropIn);
  return {
    active: found.active,
    availableKib: found.availableKib,
    units,
    fstab,
    zram,
    rpiMechanism: found.has('rpi') ? rpiMechanism(rpi) : 'none',
    zramDropIn,
    rpiDropIn,
    record,
  };
}

/** Prints, each with NUL after it: words about the host, swaps, free memory, units, then path and text of files. */
function swapScript(): Command {
  return sh`if systemd-detect-virt -cq 2>/dev/null; then printf 'container '; fi
for d in /usr/lib /lib /usr/local/lib /etc; do
if [ -x $d/systemd/system-generators/zram-generator ]; then printf 'zram '; fi
if [ -x $d/systemd/system-generators/rpi-swap-generator ]; then printf 'rpi '; fi
done; printf '\\0'
cat /proc/swaps 2>/dev/null; printf '\\0'
grep MemAvailable /proc/meminfo 2>/dev/null; printf '\\0'
if command -v systemctl >/dev/null; then
set -- $(for k in list-unit-files 'list-units --all'; do systemctl $k --type=swap --plain --no-legend --no-pager 2>/dev/null | cut -d' ' -f1; done)
systemctl show --no-pager --property=Id,LoadState,ActiveState,UnitFileState,FragmentPath,SourcePath,Following,WantedBy,RequiredBy -- ${HELPER_SERVICES} "$@"
fi; printf '\\0'
if [ -x /etc/init.d/dphys-swapfile ]; then systemctl is-enabled dphys-swapfile.service 2>/dev/null; fi; printf '\\0'
for r in ${ROOTS}; do for f in $r/systemd/zram-generator.conf $r/systemd/zram-generator.conf.d/*.conf $r/rpi/swap.conf $r/rpi/swap.conf.d/*.conf; do
if [ -e "$f" ]; then printf '%s\\0' "$f"; cat "$f"; printf '\\0'; fi
done; done`;
}

function parseSections({ stdout }: TextOutput) {
  const [words = '', swaps = '', memory = '', units = '', script = '', ...rest] =
    stdout.split('\0');
  const has = (word: string) => words.split(' ').includes(word);
  const files: ConfigFile[] = [];
  for (let i = 0; i + 1 < rest.length; i += 2) {
    files.push({ path: rest[i] ?? '', text: rest[i + 1] ?? '' });
  }
  return {
    has,
    files,
    active: has('container') ? [] : parseSwaps(swaps),
    availableKib: Number(/\d+/.exec(memory)?.[0] ?? 0),
    units: parseUnits(units, script.trim()),
  };
}

/** Rows of `/proc/swaps`; blanks in a name are written as octal escapes. */
function parseSwaps(text: string): ActiveSwap[] {
  const rows = text.split('\n').slice(1);
  return rows.flatMap((row) => {
    const [name = '', , , used] = row.split(/\s+/);
    return name === '' ? [] : [{ name, usedKib: Number(used) }];
  });
}

/**
 * The files that count, in the order in which they are read, by systemd's rules: the first main file, then
 * drop-ins by name, of which the one in /etc hides its namesakes.
 */
function effective(
  files: readonly ConfigFile[],
  mainFiles: readonly string[],
  ours: TextFile,
): ConfigFile[] {
  const main = mainFiles.map((path) => files.find((each) => each.path === path));
  const [first] = main.filter((each) => each !== undefined);
  const byName = new Map<string, ConfigFile>();
  for (const file of files) {
    const [, name = ''] =
      mainFiles.map((path) => file.path.split(`${path}.d/`)).find(([, n]) => n) ?? [];
    if (name !== '' && !byName.has(name) && file.path !== ours.path) byName.set(name, file);
  }
  const last = ours.state === null ? [] : [{ path: ours.path, text: ours.text }];
  const dropIns = [...byName].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, file]) => file);
  return [...(first === undefined ? [] : [first]), ...dropIns, ...last];
}
