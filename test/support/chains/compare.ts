/** What a check run said of a chain, beside what the run did. */
import { isDeepStrictEqual } from 'node:util';
import { toPlain } from '../../../src/engine/values.ts';
import type { PlayedHere } from '../play-here.ts';
import { type Chain, FOLLOWING, type Link } from './chain.ts';

interface Said {
  readonly status: string;
  readonly isUnknown: boolean;
  readonly result: Readonly<Record<string, unknown>>;
  readonly diffs: readonly unknown[];
}

/** Everything that a check run said wrongly, in words; none where it told the truth. */
export function disagreements(chain: Chain, check: PlayedHere, run: PlayedHere): string[] {
  const [said, done] = [resultsOf(check), resultsOf(run)];
  const wrong: string[] = [];
  const doubts = { isBlurred: false, isOpaque: false };
  for (const [key, real] of done) {
    const link = linkOf(chain, key);
    const foreseen = said.get(key);
    doubts.isBlurred ||= foreseen === undefined || foreseen.isUnknown;
    doubts.isOpaque ||= isRefused(real) || isOpaque(link, real);
    const problem = isFree(key, link, real, doubts) ? undefined : problemOf(foreseen, real, doubts);
    if (problem !== undefined) wrong.push(`${key}: ${problem}`);
  }
  return wrong;
}

/** Whether nobody can know what comes after a task: the check run has not done it, or it has failed half-way. */
function isOpaque(link: Link | undefined, { status }: Said): boolean {
  return link?.task.opaque === true ? status !== 'skipped' : isCommand(link) && status === 'failed';
}

/** Whether a check run may say what it likes: of commands that fail, and of what may be notified or not. */
function isFree(
  key: string,
  link: Link | undefined,
  { status }: Said,
  { isBlurred }: { readonly isBlurred: boolean },
): boolean {
  const isOfHandler = key === 'handler' || /\/handled\)$/.test(key);
  return (
    (isBlurred && (isOfHandler || FOLLOWING.test(key) || link?.onChange === true)) ||
    (isCommand(link) && status === 'failed')
  );
}

function isCommand(link: Link | undefined): boolean {
  return link?.task.module === 'command' || link?.task.module === 'shell';
}

/** Tasks that changed something although the same task had just run. */
export function restless(chain: Chain, run: PlayedHere): string[] {
  const done = resultsOf(run);
  return [...done].flatMap(([key, { status }]) => {
    if (!key.includes(' again') || status !== 'changed') return [];
    const link = linkOf(chain, key);
    const first = done.get(key.replace(' again', ''));
    const isFree = link?.task.always === true || first?.status === 'failed' || link?.onChange;
    return isFree ? [] : [`${key}: changed although it had just run`];
  });
}

function linkOf(chain: Chain, title: string) {
  const [, number] = /^t(\d+)/.exec(title) ?? [];
  return number === undefined ? undefined : chain[Number(number)];
}

interface Circumstances {
  readonly isOpaque: boolean;
}

function problemOf(
  said: Said | undefined,
  real: Said,
  { isOpaque }: Circumstances,
): string | undefined {
  if (said === undefined)
    return isOpaque ? undefined : `${real.status}, and the check said nothing`;
  if (said.isUnknown) return undefined;
  const words = `the check says ${said.status}, the run ${real.status}`;
  if (said.status === 'failed' && real.status !== 'failed')
    return `${words}: ${String(said.result['msg'])}`;
  if (isOpaque || isUnrun(said)) return undefined;
  if (said.status !== real.status) return `${words}${failureOf(real)}`;
  if (real.status === 'failed') return undefined;
  return differenceOf(said, real);
}

/** What a user may do is found out by doing it. */
function isRefused({ status, result }: Said): boolean {
  return status === 'failed' && /Permission denied|not permitted/.test(String(result['msg']));
}

/** A command or another thing that a check run cannot do. */
function isUnrun({ status, result }: Said): boolean {
  return status === 'skipped' && /check mode/.test(String(result['msg']));
}

function failureOf({ status, result }: Said): string {
  return status === 'failed' ? `: ${String(result['msg'])}` : '';
}

const LOOKED_AT = [
  'exists',
  'isdir',
  'isreg',
  'islnk',
  'mode',
  'uid',
  'gid',
  'lnk_target',
  'checksum',
];

function differenceOf(said: Said, real: Said): string | undefined {
  const [foreseen, found] = [said.result['stat'], real.result['stat']].map((stat) =>
    lookedAt(stat, unnumbered(said.result['stat'])),
  );
  if (!isDeepStrictEqual(foreseen, found))
    return `the check sees ${JSON.stringify(foreseen)}, the run ${JSON.stringify(found)}`;
  if (!isDeepStrictEqual(timeless(said.diffs), timeless(real.diffs)))
    return `the check shows ${JSON.stringify(said.diffs)}, the run ${JSON.stringify(real.diffs)}`;
  return undefined;
}

/** Diffs without times, which a check run cannot know. */
function timeless(diffs: readonly unknown[]): unknown {
  return JSON.parse(
    JSON.stringify(diffs, (key, value) => (/^[am]time$/.test(key) ? undefined : value)),
  );
}

/** Which numbers a check run does not know: those of users and groups that are yet to be made. */
function unnumbered(stat: unknown): readonly string[] {
  return Object.entries(stat ?? {}).flatMap(([name, value]) => (value === -1 ? [name] : []));
}

function lookedAt(stat: unknown, except: readonly string[]): object | undefined {
  if (typeof stat !== 'object' || stat === null) return undefined;
  const members = Object.entries(stat).filter(
    ([name]) => LOOKED_AT.includes(name) && !except.includes(name),
  );
  return Object.fromEntries(members);
}

/** By title, and where a task loops by item. */
function resultsOf({ events }: PlayedHere): Map<string, Said> {
  const results = new Map<string, Said>();
  for (const event of events) {
    if (event.type !== 'result' && event.type !== 'item') continue;
    if (event.type === 'result' && event.looped) continue;
    const { status, unknown, label, result, diffs } = event.info;
    const key = label === undefined ? event.task.title : `${event.task.title} (${label})`;
    const plain = toPlain(result) as Readonly<Record<string, unknown>>; // Results are dicts with text keys.
    results.set(key, { status, isUnknown: unknown !== undefined, result: plain, diffs });
  }
  return results;
}
