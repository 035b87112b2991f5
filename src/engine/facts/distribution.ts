import { sh } from '../../shared/shell.ts';
import { table } from '../../shared/table.ts';
import {
  assignments,
  type Collector,
  type PlainFacts,
  type Sections,
  section,
} from './collector.ts';

/** Which Linux it is. */
export const distribution: Collector = {
  name: 'distribution',
  ids: ['distribution_major_version', 'distribution_release', 'distribution_version', 'os_family'],

  script: sh`f os-release /etc/os-release || f os-release /usr/lib/os-release
f debian /etc/debian_version; f redhat /etc/redhat-release; f alpine /etc/alpine-release; f arch /etc/arch-release`,

  parse(sections) {
    const release = assignments(section(sections, 'os-release'));
    const found = READERS.map((read) => read(sections, release)).find(
      (facts) => facts !== undefined,
    );
    const facts = found ?? generic(release);
    const name = String(facts['distribution']);
    return { ...facts, os_family: FAMILIES.get(name) ?? familyOf(release) ?? name };
  },
};

type Release = ReadonlyMap<string, string>;
type Reader = (sections: Sections, release: Release) => PlainFacts | undefined;

const READERS: readonly Reader[] = [readAlpine, readArch, readRedHat, readDebian];

function readDebian(sections: Sections, release: Release): PlainFacts | undefined {
  if (!sections.has('debian') && release.get('ID') !== 'debian') return undefined;
  const exact = section(sections, 'debian').trim();
  const isDebian = release.get('ID') === 'debian' || release.get('ID') === 'raspbian';
  const version = isDebian && /^[\d.]+$/.test(exact) ? exact : (release.get('VERSION_ID') ?? exact);
  const [, codename] = /\((.+?)\)/.exec(release.get('VERSION') ?? '') ?? [];
  return {
    ...generic(release),
    ...versionFacts(version),
    ...(isDebian && { distribution_minor_version: version.split('.')[1] }),
    distribution_release: release.get('VERSION_CODENAME') ?? codename ?? 'NA',
    ...file('Debian', '/etc/os-release'),
  };
}

function readRedHat(sections: Sections, release: Release): PlainFacts | undefined {
  const [line = ''] = section(sections, 'redhat').split('\n');
  if (line === '') return undefined;
  const [, version = release.get('VERSION_ID') ?? 'NA'] = /release ([\d.]+)/.exec(line) ?? [];
  const [, codename] = /\((.+)\)/.exec(line) ?? [];
  const stream = line.includes('Stream') ? 'Stream' : undefined;
  return {
    ...generic(release),
    ...versionFacts(version),
    distribution_release: stream ?? codename ?? '',
    ...file('RedHat', '/etc/redhat-release'),
  };
}

function readAlpine(sections: Sections, release: Release): PlainFacts | undefined {
  const version = section(sections, 'alpine').trim();
  if (version === '') return undefined;
  return {
    ...generic(release),
    ...versionFacts(version),
    ...file('Alpine', '/etc/alpine-release'),
  };
}

function readArch(sections: Sections, release: Release): PlainFacts | undefined {
  if (!sections.has('arch') && release.get('ID') !== 'arch') return undefined;
  return { ...generic(release), ...file('Archlinux', '/etc/arch-release') };
}

function generic(release: Release): PlainFacts {
  const id = release.get('ID') ?? 'linux';
  return {
    distribution: NAMES.get(id) ?? `${id.charAt(0).toUpperCase()}${id.slice(1)}`,
    ...versionFacts(release.get('VERSION_ID') ?? 'NA'),
    distribution_release: release.get('VERSION_CODENAME') ?? 'NA',
    ...file(id.startsWith('opensuse') || id.startsWith('sle') ? 'SUSE' : 'NA', '/etc/os-release'),
  };
}

function versionFacts(version: string): PlainFacts {
  return {
    distribution_version: version,
    distribution_major_version: version.split('.')[0],
  };
}

function file(variety: string, path: string): PlainFacts {
  return {
    distribution_file_variety: variety,
    distribution_file_path: path,
    distribution_file_parsed: true,
  };
}

/** Ids of os-release whose name is not just the id with a capital. */
const NAMES: ReadonlyMap<string, string> = new Map([
  ['raspbian', 'Debian'],
  ['linuxmint', 'Linux Mint'],
  ['rhel', 'RedHat'],
  ['centos', 'CentOS'],
  ['ol', 'OracleLinux'],
  ['almalinux', 'AlmaLinux'],
  ['amzn', 'Amazon'],
  ['openEuler', 'openEuler'],
  ['opensuse-leap', 'openSUSE Leap'],
  ['opensuse-tumbleweed', 'openSUSE Tumbleweed'],
  ['sles', 'SLES'],
  ['arch', 'Archlinux'],
  ['pop', 'Pop!_OS'],
]);

const MEMBERS: Readonly<Record<string, readonly string[]>> = table({
  Debian: [
    'Debian',
    'Ubuntu',
    'Linux Mint',
    'Kali',
    'Pop!_OS',
    'Devuan',
    'Deepin',
    'Parrot',
    'Neon',
  ],
  RedHat: [
    'RedHat',
    'Fedora',
    'CentOS',
    'Rocky',
    'AlmaLinux',
    'OracleLinux',
    'Amazon',
    'openEuler',
    'Scientific',
    'Anolis',
    'EuroLinux',
  ],
  Suse: ['SLES', 'openSUSE Leap', 'openSUSE Tumbleweed', 'SLED', 'SLES_SAP'],
  Archlinux: ['Archlinux', 'Manjaro', 'Antergos'],
  Gentoo: ['Gentoo', 'Funtoo'],
  Alpine: ['Alpine'],
});

const FAMILIES: ReadonlyMap<string, string> = new Map(
  Object.entries(MEMBERS).flatMap(([family, names]) =>
    names.map((name) => [name, family] as const),
  ),
);

/** The family of an unknown distribution that says what it is like. */
function familyOf(release: Release): string | undefined {
  const like = (release.get('ID_LIKE') ?? '').split(/\s+/);
  const families = {
    debian: 'Debian',
    ubuntu: 'Debian',
    rhel: 'RedHat',
    fedora: 'RedHat',
    arch: 'Archlinux',
    suse: 'Suse',
  };
  return Object.entries(families).find(([id]) => like.includes(id))?.[1];
}
