/** What dpkg and apt know about packages: the questions and the answers. */
import { type Command, joinCommands, sh } from '../../../shared/shell.ts';
import { listsTime } from './command.ts';
import type { AptSpec } from './spec.ts';

/** A package in dpkg's database. */
export interface DpkgPackage {
  readonly name: string;
  readonly arch: string;
  readonly version: string;
  readonly status: 'installed' | 'config-files' | 'other';
  /** Names of virtual packages that it provides. */
  readonly provides: readonly string[];
}

export interface DpkgFacts {
  /** The host's own architecture. */
  readonly arch: string;
  readonly packages: readonly DpkgPackage[];
  /** Names of packages that were installed as a dependency, with architecture: `libc6:amd64`. */
  readonly automatic: readonly string[];
  /** When the package lists were fetched and what time it is, in seconds since the epoch. */
  readonly listsTime: number;
  readonly now: number;
}

/** What apt could install. */
export interface AptCandidate {
  readonly name: string;
  readonly candidate?: string;
  /** All versions, newest first. */
  readonly versions: readonly string[];
}

/** What a package file holds. */
export interface DebFile {
  readonly name: string;
  readonly version: string;
  readonly arch: string;
}

const FIELDS = ['Package', 'Architecture', 'Version', 'db:Status-Abbrev', 'Provides']
  .map((field) => `\${${field}}`)
  .join('\t')
  .concat('\n');

/** Asks dpkg about the packages of specifiers, and for packages that provide them. */
export function dpkgQuestion(specs: readonly Pick<AptSpec, 'name' | 'isGlob'>[]): Command {
  const names = [...new Set(specs.map(({ name }) => name))];
  const plain = specs.filter(({ isGlob }) => !isGlob).flatMap(({ name }) => ['-e', name]);
  const commands = [
    sh`export LC_ALL=C; dpkg --print-architecture; date +%s; ${listsTime}`,
    names.length > 0 && sh`dpkg-query -W -f ${FIELDS} -- ${names} 2>/dev/null`,
    plain.length > 0 &&
      sh`dpkg-query -W -f ${`,\t${FIELDS}`} 2>/dev/null | grep -F ${plain} | grep -v '\t$'`,
    names.length > 0 &&
      sh`awk -v RS= '/Auto-Installed: 1/ { print "auto", $2 ":" $4 }' /var/lib/apt/extended_states 2>/dev/null`,
  ];
  return joinCommands([...commands.filter((each) => each !== false), sh`:`], '\n');
}

/** Reads the answer of dpkg. */
export function parseDpkg(stdout: string): DpkgFacts {
  const [arch = '', now, listed, ...lines] = stdout.split('\n');
  const rows = lines.filter((line) => line.includes('\t')).map((line) => line.replace(/^,\t/, ''));
  const packages = new Map(
    rows.map(parsePackage).map((each) => [`${each.name}:${each.arch}`, each]),
  );
  return {
    arch,
    packages: [...packages.values()],
    automatic: lines.filter((line) => line.startsWith('auto ')).map((line) => line.slice(5)),
    listsTime: Number(listed),
    now: Number(now),
  };
}

function parsePackage(line: string): DpkgPackage {
  const [name = '', arch = '', version = '', abbreviation = '', provides = ''] = line.split('\t');
  const state = abbreviation[1] ?? ' ';
  const status = 'iWt'.includes(state) ? 'installed' : state === 'c' ? 'config-files' : 'other';
  const virtual = provides.split(',').map((each) => each.trim().replace(/[ (:].*$/, ''));
  return { name, arch, version, status, provides: virtual.filter((each) => each !== '') };
}

/** Asks apt which versions there are. */
export function policyQuestion(names: readonly string[], release: string | undefined): Command {
  const target = release === undefined ? [] : ['-t', release];
  return sh`LC_ALL=C apt-cache ${target} policy ${[...names]}`;
}

/** Reads the answer of `apt-cache policy`. */
export function parsePolicy(stdout: string): AptCandidate[] {
  const blocks = stdout.split(/\n(?=\S)/).filter((block) => /^\S+:\n/.test(block));
  return blocks.map((block) => {
    const candidate = /^ {2}Candidate: (?!\(none\))(\S+)/m.exec(block)?.[1];
    const versions = [...block.matchAll(/^ (?:\*\*\*| {3}) (\S+) -?\d+(?: \(.*\))?$/gm)].map(
      ([, v = '']) => v,
    );
    return {
      name: block.slice(0, block.indexOf('\n') - 1),
      ...(candidate !== undefined && { candidate }),
      versions,
    };
  });
}

/** Asks for the providers of names that apt has no version of, and for names like them. */
export function strangerQuestion(names: readonly string[]): Command {
  const prefixes = [...new Set(names.map((name) => name.slice(0, 1)))];
  const lists = prefixes.map((prefix) => sh`apt-cache pkgnames ${prefix}`);
  const showpkg = sh`LC_ALL=C apt-cache showpkg ${[...names]} 2>/dev/null`;
  const fetched = sh`ls /var/lib/apt/lists | grep -q _Packages && echo 'Lists: fetched'`;
  return joinCommands([showpkg, fetched, ...lists], '\n');
}

export interface Strangers {
  /** Names that some package provides. */
  readonly virtual: readonly string[];
  /** Names of packages, for a proposal. */
  readonly names: readonly string[];
  /** Whether the host has package lists at all. */
  readonly hasLists: boolean;
}

/** Reads the answer about strangers. */
export function parseStrangers(stdout: string): Strangers {
  const blocks = stdout.split(/^(?=Package: )/m).filter((block) => block.startsWith('Package: '));
  const virtual = blocks
    .filter((block) => /^Reverse Provides: *\n\S/m.test(block))
    .map((block) => block.slice('Package: '.length, block.indexOf('\n')).trim());
  const names = stdout.split('\n').filter((line) => /^[a-z0-9][a-z0-9+.-]+$/.test(line));
  return { virtual, names, hasLists: /^Lists: fetched$/m.test(stdout) };
}
