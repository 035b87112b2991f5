import { sh } from '../../shared/shell.ts';
import { lines, type PlainFacts, rows, type Sections, section } from './collector.ts';

const LINK_KINDS = { ids: 'by-id', uuids: 'by-uuid', labels: 'by-label' } as const;
const SECTOR_BYTES = 512;

export const DEVICES_SCRIPT = sh`s blocks; for b in /sys/block/*; do
printf '%s\\t%s\\n' "\${b##*/}" "$(readlink "$b")"
done
s block-files; v /sys/block/*/size /sys/block/*/removable /sys/block/*/queue/rotational /sys/block/*/queue/scheduler \
/sys/block/*/queue/discard_granularity /sys/block/*/queue/logical_block_size /sys/block/*/device/vendor \
/sys/block/*/device/model /sys/block/*/device/sas_address /sys/block/*/device/sas_device_handle /sys/block/*/dm/name
for b in /sys/block/*; do v "$b/\${b##*/}"*/start "$b/\${b##*/}"*/size "$b/\${b##*/}"*/queue/logical_block_size; done
s block-links; k /dev/disk/by-id/* /dev/disk/by-uuid/* /dev/disk/by-label/*
s block-relations; for p in /sys/block/*/holders/* /sys/block/*/*/holders/* /sys/block/*/slaves/*; do
[ -e "$p" ] && printf '%s\\n' "$p"; done
has lspci && s lspci && lspci`;

type Links = Readonly<Record<string, readonly string[]>>;

/** Disks with their partitions, and the names under which they are known. */
export function parseDevices(sections: Sections): PlainFacts {
  const device_links = readLinks(sections);
  const view = { files: rows(sections, 'block-files'), sections, links: device_links };
  const blocks = [...rows(sections, 'blocks')];
  return {
    device_links,
    devices: Object.fromEntries(
      blocks.map(([name, target]) => [name, readDevice(view, name, target)]),
    ),
  };
}

interface View {
  readonly sections: Sections;
  readonly files: ReadonlyMap<string, string>;
  readonly links: Readonly<Record<string, Links>>;
}

function readDevice(view: View, name: string, target: string): PlainFacts {
  const of = (file: string) => view.files.get(`/sys/block/${name}/${file}`);
  const sectors = Number(of('size') ?? 0);
  return {
    virtual: 1,
    links: linksOf(view, name),
    vendor: of('device/vendor') ?? null,
    model: of('device/model') ?? null,
    sas_address: of('device/sas_address') ?? null,
    sas_device_handle: of('device/sas_device_handle') ?? null,
    removable: of('removable') ?? null,
    support_discard: of('queue/discard_granularity') ?? null,
    partitions: readPartitions(view, name),
    rotational: of('queue/rotational') ?? null,
    scheduler_mode: /\[(.*)\]/.exec(of('queue/scheduler') ?? '')?.[1] ?? '',
    sectors,
    sectorsize: of('queue/logical_block_size') ?? '512',
    size: humanBytes(sectors * SECTOR_BYTES),
    host: controllerOf(view.sections, target),
    holders: holdersOf(view, name),
  };
}

function readPartitions(view: View, disk: string): PlainFacts {
  const prefix = `/sys/block/${disk}/`;
  const names = [...view.files.keys()].flatMap((path) => {
    return path.startsWith(prefix) && path.endsWith('/start')
      ? [path.slice(prefix.length, -6)]
      : [];
  });
  return Object.fromEntries(names.map((name) => [name, readPartition(view, disk, name)]));
}

function readPartition(view: View, disk: string, name: string): PlainFacts {
  const of = (file: string) => view.files.get(`/sys/block/${disk}/${name}/${file}`);
  const links = linksOf(view, name);
  const sectors = Number(of('size') ?? 0);
  return {
    links,
    start: of('start'),
    sectors,
    sectorsize: Number(of('queue/logical_block_size') ?? SECTOR_BYTES),
    size: humanBytes(sectors * SECTOR_BYTES),
    uuid: links['uuids']?.[0] ?? null,
    holders: holdersOf(view, `${disk}/${name}`),
  };
}

function readLinks(sections: Sections): Record<string, Links> {
  const known = [...rows(sections, 'block-links')];
  const named = Object.entries(LINK_KINDS).map(([kind, directory]) => {
    const pairs = known
      .filter(([path]) => path.startsWith(`/dev/disk/${directory}/`))
      .map(([path, target]) => [baseName(target), baseName(path)] as const);
    return [kind, grouped(pairs)] as const;
  });
  const masters = relations(sections, 'slaves').map(([device, slave]) => [slave, device] as const);
  return { ...Object.fromEntries(named), masters: grouped(masters) };
}

function linksOf({ links }: View, name: string): Links {
  return Object.fromEntries(
    Object.entries(links).map(([kind, table]) => [kind, table[name] ?? []]),
  );
}

function holdersOf({ sections, files }: View, path: string): readonly string[] {
  const found = relations(sections, 'holders').filter(([device]) => device === path);
  return found.map(([, holder]) => files.get(`/sys/block/${holder}/dm/name`) ?? holder);
}

/** Pairs of a device and what is below its directory of that name. */
function relations(sections: Sections, kind: string): readonly (readonly [string, string])[] {
  return lines(sections, 'block-relations').flatMap((path) => {
    const [, device, other] = new RegExp(`^/sys/block/(.+)/${kind}/(.+)$`).exec(path) ?? [];
    return device === undefined || other === undefined ? [] : [[device, other] as const];
  });
}

function grouped(pairs: readonly (readonly [string, string])[]): Links {
  const groups: Record<string, string[]> = {};
  for (const [key, name] of pairs) groups[key] = [...(groups[key] ?? []), name].sort();
  return groups;
}

/** What `lspci` calls the controller that a disk hangs on. */
function controllerOf(sections: Sections, target: string): string {
  const ids = [...target.matchAll(/\/[0-9a-f]{4}:([0-9a-f]{2}:[0-9a-f]{2}\.\d)(?=\/)/g)];
  const id = ids.at(-1)?.[1];
  const line = section(sections, 'lspci')
    .split('\n')
    .find((each) => id !== undefined && each.startsWith(`${id} `));
  return line?.slice(8) ?? '';
}

function baseName(path: string): string {
  return path.replace(/^.*\//, '');
}

/** Ansible's spelling of a size: `256.00 GB`, counted by 1024. */
export function humanBytes(bytes: number): string {
  const units = ['YB', 'ZB', 'EB', 'PB', 'TB', 'GB', 'MB', 'KB'];
  const power = Math.min(units.length, Math.floor(Math.log2(Math.max(bytes, 1)) / 10));
  const unit = power === 0 ? 'Bytes' : units[units.length - power];
  return `${(bytes / 1024 ** power).toFixed(2)} ${unit}`;
}
