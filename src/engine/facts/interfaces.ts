import { sh } from '../../shared/shell.ts';
import { table } from '../../shared/table.ts';
import { type PlainFacts, rows, type Sections, section } from './collector.ts';

export const INTERFACES_SCRIPT = sh`s interfaces; for p in /sys/class/net/*; do [ -d "$p" ] && echo "\${p##*/}"; done
s net-files; cd /sys/class/net && v */address */mtu */operstate */type */speed */flags \
*/bridge/bridge_id */bridge/stp_state */bonding/slaves */bonding/mode */bonding/miimon */bonding/lacp_rate \
*/bonding/primary */bonding/all_slaves_active
s net-links; k */device */device/driver/module */brif/*
if has ethtool; then for p in *; do
printf '\\001ethtool-k %s\\n' "$p"; ethtool -k "$p"; printf '\\001ethtool-T %s\\n' "$p"; ethtool -T "$p"
done; fi; cd /`;

/** Kernel's numbers of hardware types, by Ansible's names. */
const TYPES: Readonly<Record<string, string>> = table({
  '1': 'ether',
  '32': 'infiniband',
  '512': 'ppp',
  '772': 'loopback',
  '65534': 'tunnel',
});

const PROMISCUOUS = 0x100;

/** Every interface by its name in the kernel, without addresses. */
export function parseInterfaces(sections: Sections): ReadonlyMap<string, PlainFacts> {
  const view = { files: rows(sections, 'net-files'), links: rows(sections, 'net-links'), sections };
  const names = section(sections, 'interfaces').split('\n').filter(Boolean);
  return new Map(names.map((name) => [name, readInterface(view, name)]));
}

interface View {
  readonly sections: Sections;
  readonly files: ReadonlyMap<string, string>;
  readonly links: ReadonlyMap<string, string>;
}

function readInterface(view: View, name: string): PlainFacts {
  const of = (file: string) => view.files.get(`${name}/${file}`);
  const link = (file: string) => view.links.get(`${name}/${file}`)?.replace(/^.*\//, '');
  const address = of('address');
  const speed = of('speed');
  return {
    device: name,
    ...(address !== undefined && address !== '00:00:00:00:00:00' && { macaddress: address }),
    mtu: Number(of('mtu') ?? 0),
    active: of('operstate') !== 'down',
    module: link('device/driver/module'),
    type: TYPES[of('type') ?? ''] ?? 'unknown',
    ...readBridge(view, name),
    ...readBond(view, name),
    pciid: link('device'),
    ...(speed !== undefined && { speed: Number(speed) }),
    promisc: (Number(of('flags') ?? 0) & PROMISCUOUS) !== 0,
    ...readEthtool(view.sections, name),
  };
}

function readBridge({ files, links }: View, name: string): PlainFacts {
  const id = files.get(`${name}/bridge/bridge_id`);
  if (id === undefined) return {};
  const prefix = `${name}/brif/`;
  const members = [...links.keys()].filter((path) => path.startsWith(prefix));
  return {
    type: 'bridge',
    interfaces: members.map((path) => path.slice(prefix.length)),
    id,
    stp: files.get(`${name}/bridge/stp_state`) === '1',
  };
}

function readBond({ files }: View, name: string): PlainFacts {
  const of = (file: string) => files.get(`${name}/bonding/${file}`);
  if (of('mode') === undefined) return {};
  return {
    type: 'bonding',
    slaves: (of('slaves') ?? '').split(/\s+/).filter(Boolean),
    mode: of('mode')?.split(' ')[0],
    miimon: of('miimon')?.split(' ')[0],
    lacp_rate: of('lacp_rate')?.split(' ')[0],
    primary: of('primary'),
    ...(of('all_slaves_active') === '1' && { all_slaves_active: true }),
  };
}

function readEthtool(sections: Sections, name: string): PlainFacts {
  if (!sections.has(`ethtool-k ${name}`)) return {};
  const [, ...features] = section(sections, `ethtool-k ${name}`).trim().split('\n');
  const stamps = section(sections, `ethtool-T ${name}`);
  return {
    features: Object.fromEntries(
      features.map((line) => {
        const [feature = '', state = ''] = line.trim().split(/:\s*/, 2);
        return [feature.replaceAll('-', '_'), state];
      }),
    ),
    timestamping: [...stamps.matchAll(/SOF_TIMESTAMPING_(\w+)/g)].map(([, each = '']) =>
      each.toLowerCase(),
    ),
    hw_timestamp_filters: [...stamps.matchAll(/HWTSTAMP_FILTER_(\w+)/g)].map(([, each = '']) =>
      each.toLowerCase(),
    ),
    ...phcIndex(stamps),
  };
}

function phcIndex(stamps: string): PlainFacts {
  const [, index] = /PTP Hardware Clock: (\d+)/.exec(stamps) ?? [];
  return index === undefined ? {} : { phc_index: Number(index) };
}
