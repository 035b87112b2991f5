/** Reading what the plan of the apt module needs, in as few round trips as the state of the host allows. */
import { type Effect, type Reader, TaskError } from '../../../engine/module.ts';
import type { AptArgs } from './args.ts';
import { type AptJob, debFields, isUrl, simulation } from './command.ts';
import {
  type DebFile,
  type DpkgFacts,
  dpkgQuestion,
  parseDpkg,
  parsePolicy,
  parseStrangers,
  policyQuestion,
  strangerQuestion,
} from './facts.ts';
import { jobsOf } from './jobs.ts';
import { namesToLookUp, type PackageKnowledge, specsOf, strangersAmong } from './resolve.ts';

/** The name under which a check run notes that the package lists would have been fetched. */
export const PACKAGE_LISTS = 'package lists of apt';

/** What apt-get said it would do. */
export interface Rehearsal {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

export interface AptState extends PackageKnowledge {
  readonly updateDue: boolean;
  readonly deb?: DebFile;
  /** One for each job. */
  readonly rehearsals: readonly Rehearsal[];
  /** What earlier tasks of a check run would have done to packages. */
  readonly predicted: readonly Extract<Effect, { kind: 'package' }>[];
}

/** Reads the host for the apt module. */
export async function probeApt(host: Reader, args: AptArgs): Promise<AptState> {
  const deb = await probeDeb(host, args);
  const knowledge = await probeKnowledge(host, args, deb);
  const predicted = host.predictedAll('package');
  const state = { ...knowledge, ...(deb !== undefined && { deb }), predicted, rehearsals: [] };
  const jobs = jobsOf(args, state);
  const rehearsals = await Promise.all(jobs.map((job) => rehearse(host, job, args)));
  return { ...state, rehearsals };
}

/** Packages that apt does not know yet are left out. */
async function rehearse(host: Reader, job: AptJob, args: AptArgs): Promise<Rehearsal> {
  const { unknown = [] } = job;
  const words = job.words.filter((word) => !unknown.includes(word));
  if (words.length === 0 && unknown.length > 0) return { code: 0, stdout: '', stderr: '' };
  return await host.read(simulation({ ...job, words }, args));
}

async function probeKnowledge(
  host: Reader,
  args: AptArgs,
  deb: DebFile | undefined,
): Promise<PackageKnowledge & { updateDue: boolean }> {
  const names = deb === undefined ? specsOf(args) : [{ name: deb.name, isGlob: false }];
  const { stdout, code, stderr } = await host.read(dpkgQuestion(names));
  if (code !== 0 || /dpkg: (?:command )?not found/.test(stderr)) {
    throw new TaskError('the host has no dpkg', { hint: 'apt manages Debian and its relatives' });
  }
  const dpkg = withPredicted(parseDpkg(stdout), host.predictedAll('package'));
  const isFresh = host.predicted('other', PACKAGE_LISTS) !== undefined;
  const updateDue = isUpdateDue(args, dpkg, isFresh);
  const open = namesToLookUp(args, dpkg);
  const candidates = open.length === 0 ? [] : await lookUp(host, open, args);
  const unknown = strangersAmong(open, candidates);
  const answer = unknown.length === 0 ? '' : (await host.read(strangerQuestion(unknown))).stdout;
  return {
    ...{ dpkg, candidates, strangers: parseStrangers(answer) },
    ...{ updateDue, listsWillChange: updateDue || isFresh },
  };
}

async function lookUp(host: Reader, names: readonly string[], args: AptArgs) {
  const { code, stdout, stderr } = await host.read(policyQuestion(names, args.default_release));
  if (code === 0) return parsePolicy(stdout);
  throw new TaskError(stderr.trim().replace(/^E: /, ''), { result: { rc: code, stderr } });
}

function isUpdateDue(args: AptArgs, dpkg: DpkgFacts, isFresh: boolean): boolean {
  const { update_cache: wanted, cache_valid_time: validSeconds } = args;
  if (!(wanted ?? validSeconds > 0)) return false;
  return isFresh
    ? validSeconds === 0
    : dpkg.now > dpkg.listsTime + validSeconds || validSeconds === 0;
}

async function probeDeb(host: Reader, args: AptArgs): Promise<DebFile | undefined> {
  const { deb } = args;
  if (deb === undefined) return undefined;
  const { code, stdout, stderr } = await host.read(debFields(deb, args));
  const field = (name: string) => new RegExp(`^${name}: (.*)$`, 'm').exec(stdout)?.[1] ?? '';
  if (code === 0)
    return { name: field('Package'), version: field('Version'), arch: field('Architecture') };
  if (!isUrl(deb) && (await host.path(deb)) !== undefined && host.predicted('path', deb))
    return undefined;
  throw new TaskError(`"${deb}" is not a package file that can be read`, {
    result: { rc: code, stderr: stderr.trim() },
  });
}

function withPredicted(
  dpkg: DpkgFacts,
  effects: readonly Extract<Effect, { kind: 'package' }>[],
): DpkgFacts {
  const packages = new Map(dpkg.packages.map((each) => [`${each.name}:${each.arch}`, each]));
  for (const { name: full, installed, version = '' } of effects) {
    const [name = '', arch = dpkg.arch] = full.split(':');
    for (const each of dpkg.packages)
      if (each.name === name) packages.delete(`${name}:${each.arch}`);
    const status = installed ? 'installed' : 'other';
    packages.set(`${name}:${arch}`, { name, arch, version, status, provides: [] });
  }
  return { ...dpkg, packages: [...packages.values()] };
}
