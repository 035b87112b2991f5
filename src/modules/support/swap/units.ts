/** Units that make a host swap, and what keeps each from doing so. */

export interface SwapUnit {
  readonly name: string;
  readonly load: string;
  readonly active: string;
  readonly enabled: string;
  /** The file that defines it; empty where the kernel's list is all that is known of it. */
  readonly file: string;
  /** What a generator made it from. */
  readonly source: string;
  /** The unit whose other name this is. */
  readonly follows: string;
  /** Units that pull it in. */
  readonly pulledBy: string;
}

/** How a unit is kept from swapping. */
export interface UnitWish {
  readonly verb: 'disable' | 'mask';
  readonly unit: SwapUnit;
}

const MKSWAP = 'mkswap.service';

/** Services that swap on by themselves: of Raspberry Pi OS, zram-tools, Ubuntu, Armbian, Ubuntu's desktop for the Pi. */
export const HELPER_SERVICES = [
  'dphys-swapfile.service',
  'zramswap.service',
  'zram-config.service',
  'armbian-zram-config.service',
  MKSWAP,
];

const ENABLED = /^(enabled|generated|linked)/;

/** Parses blocks of `systemctl show`; `script` is whether the SysV script of dphys-swapfile is enabled. */
export function parseUnits(text: string, script: string): SwapUnit[] {
  const blocks = text.split(/\n\n+/).map((block) => new Map(block.split('\n').map(property)));
  const units = blocks.map((block) => parseUnit((key) => block.get(key) ?? '', script));
  const known = units.filter(({ name, load }) => name !== '' && load !== 'not-found');
  return [...new Map(known.map((unit) => [unit.name, unit])).values()];
}

function parseUnit(property: (key: string) => string, script: string): SwapUnit {
  const name = property('Id');
  const state = property('UnitFileState');
  return {
    name,
    load: property('LoadState'),
    active: property('ActiveState'),
    enabled: state === 'generated' && name.startsWith('dphys') ? script : state,
    file: property('FragmentPath'),
    source: property('SourcePath'),
    follows: property('Following'),
    pulledBy: `${property('WantedBy')} ${property('RequiredBy')}`.trim(),
  };
}

/** What has to be done with units so that none of them swaps on at boot. */
export function unitWishes(units: readonly SwapUnit[]): UnitWish[] {
  return units.flatMap((unit) => {
    const verb = isMasked(unit) ? undefined : verbFor(unit);
    return verb === undefined ? [] : [{ verb, unit }];
  });
}

export function isMasked({ load, enabled }: SwapUnit): boolean {
  return load === 'masked' || enabled.startsWith('masked');
}

function verbFor(unit: SwapUnit): UnitWish['verb'] | undefined {
  const { name, file, follows } = unit;
  if (name === MKSWAP) return 'mask';
  // Masked it would read `masked`, where the state of the service is to be `disabled`.
  if (HELPER_SERVICES.includes(name)) return isBusy(unit) ? 'disable' : undefined;
  if (file === '' || follows !== '' || file.startsWith('/run/systemd/transient/')) return undefined;
  if (file.startsWith('/run/systemd/generator')) return isConfigured(unit) ? undefined : 'mask';
  // A file of the administrator's stands where the mask would have to be.
  if (/^\/(etc|run)\//.test(file)) return isBusy(unit) ? 'disable' : undefined;
  return 'mask';
}

function isBusy({ active, enabled, pulledBy }: SwapUnit): boolean {
  return active === 'active' || ENABLED.test(enabled) || pulledBy !== '';
}

/** Whether it was generated from a configuration that is edited instead. The rest are partitions found by their type. */
function isConfigured({ name, source }: SwapUnit): boolean {
  return source !== '' || /^dev-zram\d+\.swap$/.test(name);
}

function property(line: string): [string, string] {
  const at = line.indexOf('=');
  return [line.slice(0, at), line.slice(at + 1)];
}
