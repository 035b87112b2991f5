/** The generators that make swap devices at boot, zram-generator and rpi-swap, and the drop-ins that stop them. */

/** A configuration file with sections. */
export interface ConfigFile {
  readonly path: string;
  readonly text: string;
}

/** Sorts after every other drop-in, so that it has the last word. */
const NAME = 'zzz-tsprov-swap-off.conf';
export const ZRAM_DROP_IN = `/etc/systemd/zram-generator.conf.d/${NAME}`;
export const RPI_DROP_IN = `/etc/rpi/swap.conf.d/${NAME}`;

const NOTE = '# Written by tsprov: this node must not swap.\n';

/** What rpi-swap's generator does where nothing is set (swap.conf(5)). */
const DEFAULT_MECHANISM = 'auto';

/** Names of the zram devices that would be swapped to (zram-generator.conf(5)). */
export function zramSwaps(files: readonly ConfigFile[]): string[] {
  const devices = new Map<string, Map<string, string>>();
  for (const { section, key, value } of files.flatMap(({ text }) => parseSections(text))) {
    if (!/^zram\d+$/.test(section)) continue;
    const settings = devices.get(section) ?? new Map<string, string>();
    devices.set(section, key === '' ? settings : settings.set(key, value));
  }
  return [...devices].filter(([, settings]) => isSwap(settings)).map(([name]) => name);
}

function isSwap(settings: ReadonlyMap<string, string>): boolean {
  const limit = settings.get('host-memory-limit') ?? settings.get('memory-limit');
  const hasFileSystem =
    settings.has('mount-point') || !/^(swap)?$/.test(settings.get('fs-type') ?? '');
  return Number(limit ?? 1) !== 0 && !hasFileSystem;
}

/** A drop-in with which no host has little enough memory for these devices. */
export function withoutZram(devices: readonly string[]): string {
  const sections = devices.map((name) => `\n[${name}]\nhost-memory-limit=0\n`);
  return NOTE + sections.join('');
}

/** The mechanism that rpi-swap's generator uses. */
export function rpiMechanism(files: readonly ConfigFile[]): string {
  const settings = files.flatMap(({ text }) => parseSections(text));
  const last = settings.findLast(({ section, key }) => section === 'Main' && key === 'Mechanism');
  return last === undefined || last.value === '' ? DEFAULT_MECHANISM : last.value;
}

export const WITHOUT_RPI_SWAP = `${NOTE}\n[Main]\nMechanism=none\n`;

interface Setting {
  readonly section: string;
  /** Empty for the head of a section. */
  readonly key: string;
  readonly value: string;
}

function parseSections(text: string): Setting[] {
  let section = '';
  return text.split('\n').flatMap((line) => {
    const head = /^\s*\[(.+)\]\s*$/.exec(line);
    if (head !== null) section = head[1] ?? '';
    const [, key = '', value = ''] = /^\s*([^#;=\s][^=]*?)\s*=\s*(.*?)\s*$/.exec(line) ?? [];
    return head !== null || key !== '' ? [{ section, key: head === null ? key : '', value }] : [];
  });
}
