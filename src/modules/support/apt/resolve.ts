/** From what the user asks for and what dpkg and apt know: what apt-get has to be told. Pure. */
import { TaskError } from '../../../engine/module.ts';
import { didYouMean } from '../../../shared/errors.ts';
import { matchesGlob } from '../../../shared/glob.ts';
import type { AptArgs } from './args.ts';
import type { AptCandidate, DpkgFacts, DpkgPackage, Strangers } from './facts.ts';
import { type AptSpec, allowsVersion, parseAptSpec } from './spec.ts';
import { compareVersions } from './version.ts';

export interface PackageKnowledge {
  readonly dpkg: DpkgFacts;
  readonly candidates: readonly AptCandidate[];
  readonly strangers: Strangers;
  /** The lists will have been fetched before: what is unknown now may be known then. */
  readonly listsWillChange: boolean;
}

export interface Wanted {
  /** Words for apt-get. */
  readonly words: readonly string[];
  /** Words among them that apt does not know yet. */
  readonly unknown: readonly string[];
  /** Installed as a dependency, now wanted for themselves. */
  readonly manual: readonly string[];
}

/** The specifiers of the task, without `*`. Throws TaskError where one is malformed. */
export function specsOf({ name: names = [] }: AptArgs): AptSpec[] {
  return names
    .filter((text) => text.trim() !== '*')
    .map((text) => {
      const spec = parseAptSpec(text);
      if (spec !== undefined) return spec;
      throw new TaskError(`"${text}" is not the name of a package`, {
        hint: 'write name, name=version, name>=version or name:architecture',
      });
    });
}

/** Names whose versions apt must be asked for: those that are not settled by what is installed. */
export function namesToLookUp(args: AptArgs, dpkg: DpkgFacts): string[] {
  if (args.state === 'absent' || args.state === 'build-dep') return globNames(specsOf(args));
  const open = specsOf(args).filter((spec) => {
    return spec.isGlob || args.state === 'latest' || !isSatisfied(spec, dpkg);
  });
  return [...new Set(open.map(qualified))];
}

const globNames = (specs: readonly AptSpec[]) =>
  specs.filter(({ isGlob }) => isGlob).map(({ name }) => name);

/** Names that apt has no version of. */
export function strangersAmong(names: readonly string[], known: readonly AptCandidate[]): string[] {
  return names.filter((name) => !/[*?[]/.test(name) && versionsOf(name, known) === undefined);
}

/** What has to be installed or upgraded. Throws TaskError on packages that do not exist. */
export function resolveInstall(args: AptArgs, knowledge: PackageKnowledge): Wanted {
  const { dpkg } = knowledge;
  const specs = specsOf(args).flatMap((spec) => expanded(spec, knowledge));
  const due = specs.filter((spec) => isDue(spec, args, knowledge));
  const unknown = due.filter((spec) => isUnknown(spec, knowledge));
  if (!knowledge.listsWillChange) refuseUnknown(unknown, knowledge);
  const settled = specs.filter((spec) => !due.includes(spec));
  return {
    words: due.map((spec) => word(spec, args, knowledge)),
    unknown: unknown.map((spec) => word(spec, args, knowledge)),
    manual: settled.flatMap((spec) => automaticNames(spec, dpkg)),
  };
}

/** What has to be removed. */
export function resolveRemoval(args: AptArgs, { dpkg, candidates }: PackageKnowledge): Wanted {
  const specs = specsOf(args);
  for (const { name, isGlob } of specs) {
    if (!isGlob) continue;
    const names = [...dpkg.packages, ...candidates].map((each) => each.name);
    if (!names.some((each) => matchesGlob(each, name))) throw noMatch(name);
  }
  const isThere = ({ status }: DpkgPackage) =>
    status === 'installed' || (args.purge && status === 'config-files');
  const found = specs.flatMap((spec) => installedAs(spec, dpkg).filter(isThere));
  const words = found.map(({ name, arch }) => (isNative(arch, dpkg) ? name : `${name}:${arch}`));
  return { words: [...new Set(words)], unknown: [], manual: [] };
}

function isDue(spec: AptSpec, args: AptArgs, knowledge: PackageKnowledge): boolean {
  const [current] = installedAs(spec, knowledge.dpkg).filter(isInstalled);
  if (args.only_upgrade && current === undefined) return false;
  if (!isSatisfied(spec, knowledge.dpkg)) return true;
  if (args.state !== 'latest' || current === undefined) return false;
  const best = bestVersion(spec, knowledge);
  return best !== undefined && compareVersions(best, current.version) > 0;
}

/** Whether it is installed in a version that the specifier allows, or something that provides it is. */
function isSatisfied(spec: AptSpec, dpkg: DpkgFacts): boolean {
  const [current] = installedAs(spec, dpkg).filter(isInstalled);
  if (current !== undefined) return allowsVersion(spec, current.version);
  const provides = (each: DpkgPackage) => isInstalled(each) && each.provides.includes(spec.name);
  return spec.version === undefined && dpkg.packages.some(provides);
}

function isUnknown(spec: AptSpec, knowledge: PackageKnowledge): boolean {
  if (knowledge.strangers.virtual.includes(spec.name)) return false;
  return bestVersion(spec, knowledge) === undefined;
}

/** The version to install: apt's candidate where it is allowed, else the newest that is. */
function bestVersion(spec: AptSpec, { candidates }: PackageKnowledge): string | undefined {
  const known = versionsOf(qualified(spec), candidates);
  if (known === undefined) return undefined;
  const order = [...(known.candidate === undefined ? [] : [known.candidate]), ...known.versions];
  return order.find((version) => allowsVersion(spec, version));
}

function versionsOf(name: string, known: readonly AptCandidate[]): AptCandidate | undefined {
  return known.find((each) => each.name === name && each.versions.length > 0);
}

/** A glob becomes the names that it matches. */
function expanded(
  spec: AptSpec,
  { dpkg, candidates, listsWillChange }: PackageKnowledge,
): AptSpec[] {
  if (!spec.isGlob) return [spec];
  const installed = dpkg.packages.filter(isInstalled).map(({ name }) => name);
  const available = candidates.filter(({ candidate }) => candidate !== undefined);
  const all = [...installed, ...available.map(({ name }) => name)];
  const names = [...new Set(all)].filter((name) => matchesGlob(name, spec.name));
  if (names.length === 0 && !listsWillChange) throw noMatch(spec.name);
  return names.map((name) => ({ ...spec, name, isGlob: false }));
}

function word(spec: AptSpec, args: AptArgs, knowledge: PackageKnowledge): string {
  const name = qualified(spec);
  if (spec.operator === undefined) return name;
  const version = bestVersion(spec, knowledge);
  const [current] = installedAs(spec, knowledge.dpkg).filter(isInstalled);
  const isOlder = version !== undefined && current && compareVersions(version, current.version) < 0;
  if (isOlder && !args.allow_downgrade && !args.force) {
    throw new TaskError(
      `package "${name}" is installed in version ${current.version}, later than ${version}`,
      { hint: 'set "allow_downgrade: true" to go back' },
    );
  }
  return version === undefined ? `${name}=${spec.version}` : `${name}=${version}`;
}

function automaticNames(spec: AptSpec, { packages, automatic, arch }: DpkgFacts): string[] {
  const found = packages.find((each) => each.name === spec.name && isInstalled(each));
  if (found === undefined) return [];
  const names = [`${found.name}:${found.arch}`, `${found.name}:${arch}`];
  return names.some((name) => automatic.includes(name)) ? [qualified(spec)] : [];
}

function installedAs({ name, arch, isGlob }: AptSpec, dpkg: DpkgFacts): DpkgPackage[] {
  return dpkg.packages.filter((each) => {
    const isNamed = isGlob ? matchesGlob(each.name, name) : each.name === name;
    return isNamed && (arch === undefined ? isNative(each.arch, dpkg) : arch === each.arch);
  });
}

const isInstalled = ({ status }: DpkgPackage) => status === 'installed';
const isNative = (arch: string, dpkg: DpkgFacts) => arch === dpkg.arch || arch === 'all';
const qualified = ({ name, arch }: AptSpec) => (arch === undefined ? name : `${name}:${arch}`);

function noMatch(glob: string): TaskError {
  return new TaskError(`No package(s) matching '${glob}' available`);
}

/** Throws TaskError that names what there is instead. */
function refuseUnknown(unknown: readonly AptSpec[], knowledge: PackageKnowledge): void {
  const [first] = unknown;
  if (first === undefined) return;
  const known = versionsOf(qualified(first), knowledge.candidates);
  if (known !== undefined) {
    throw new TaskError(`package "${known.name}" has no version ${first.version}`, {
      hint: `there is ${known.versions.join(', ')}`,
      isCertain: true,
    });
  }
  const names = unknown.map((spec) => `"${qualified(spec)}"`);
  const [noun, verb] = names.length === 1 ? ['package', 'does'] : ['packages', 'do'];
  const guess = didYouMean(first.name, knowledge.strangers.names);
  const hint = guess ?? (knowledge.strangers.hasLists ? NO_SOURCE : NO_LISTS);
  throw new TaskError(`${noun} ${names.join(', ')} ${verb} not exist`, { hint, isCertain: true });
}

const NO_LISTS = 'the host has no package lists: set "update_cache: true"';
const NO_SOURCE =
  'set "update_cache: true" if the lists are old, or add the repository that has it';
