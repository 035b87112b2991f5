import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { cached } from '../support/cache.ts';
import { engineNode, giveBack } from './nodes.ts';
import { type CallEnd, playRole, type Round } from './play-role.ts';
import { playScript } from './play-script.ts';
import { prune } from './prune.ts';
import type { Fault } from './read-output.ts';
import { type Engine, layOutSite, type Site } from './site.ts';
import { ansibleSource, VERSION } from './source.ts';
import type { Target } from './targets.ts';

/** A fault with its place as `target/tasks/main.yml:12`. */
export interface PlacedFault {
  readonly at: string;
  readonly message: string;
}

/** All that an engine did with a target. */
export interface Answer {
  readonly asserts: number;
  readonly tasks: number;
  readonly passed: readonly (readonly [place: string, times: number])[];
  readonly faults: readonly PlacedFault[];
  readonly calls: readonly CallEnd[];
}

/** Grows when targets are played in another way, so that answers of before are not taken. */
const WAY = 2;
const ROUNDS = 80;
const SECONDS: Readonly<Record<Engine, number>> = { ansible: 1800, tsprov: 600 };

/** Ansible's own answer, asked once and kept in the cache. Its own failures are taken out of the target. */
export async function askAnsible(target: Target): Promise<Answer> {
  const file = await cached(`conformance/${VERSION}-${WAY}-${target.name}`, async (path) => {
    await writeFile(path, JSON.stringify(await playRounds(target, 'ansible', undefined)));
  });
  // Written just above, by this version of the suite.
  return JSON.parse(await readFile(file, 'utf8')) as Answer;
}

/** What tsprov does with a target as Ansible could play it. */
export function askTsprov(target: Target, theirs: Answer): Promise<Answer> {
  return playRounds(target, 'tsprov', theirs);
}

/** Plays a target, takes out what failed, and plays it again until it comes to its end. */
async function playRounds(
  target: Target,
  engine: Engine,
  theirs: Answer | undefined,
): Promise<Answer> {
  const apart = target.apart.map((at) => ({ at, message: 'cannot work on these machines' }));
  const before = theirs?.faults ?? apart;
  const pruned = new Map(before.map((fault) => [fault.at, fault.message]));
  const found: PlacedFault[] = theirs === undefined ? apart : [];
  for (let round = 1; ; round += 1) {
    const { answer, cut } = await playOnce(target, engine, { pruned: [...pruned.keys()], theirs });
    const fresh = cut.filter(({ at }) => !pruned.has(at));
    for (const fault of fresh) pruned.set(fault.at, fault.message);
    found.push(...fresh);
    if (fresh.length === 0 || round === ROUNDS) {
      const left = round === ROUNDS ? fresh : [];
      return { ...answer, faults: [...found, ...answer.faults, ...left] };
    }
  }
}

interface Once {
  readonly answer: Answer;
  readonly cut: readonly PlacedFault[];
}

/** One round, on a node that earlier targets have left as it was. */
async function playOnce(
  target: Target,
  engine: Engine,
  { pruned, theirs }: { pruned: readonly string[]; theirs: Answer | undefined },
): Promise<Once> {
  const source = await ansibleSource();
  const folder = await mkdtemp(join(tmpdir(), 'tc-'));
  try {
    const node = target.place === 'node' ? await engineNode(engine) : undefined;
    const site = await layOutSite({ engine, source, folder, target: target.name }, node);
    // Targets name it on the host too.
    await node?.exec(`mkdir -p ${join(folder, 'output')}`);
    for (const at of pruned) await pruneAt(site, at);
    const seconds = SECONDS[engine];
    const round =
      target.kind === 'role'
        ? await playRole(target, site, seconds)
        : await playScript(target, site, { seconds, wanted: theirs?.calls ?? [] });
    return await readRound(site, round);
  } finally {
    if (target.isDestructive) await giveBack(engine);
    await rm(folder, { recursive: true, force: true });
  }
}

/** Which faults can be taken out shows when one tries. */
async function readRound(site: Site, round: Round): Promise<Once> {
  const place = (fault: Fault): PlacedFault => ({
    at: placeOf(site, fault),
    message: fault.message,
  });
  const cut: PlacedFault[] = [];
  const stuck: PlacedFault[] = [];
  for (const fault of round.faults) {
    const placed = place(fault);
    const isOurs = fault.file.startsWith(site.integration);
    (isOurs && (await prune(fault.file, fault.line)) ? cut : stuck).push(placed);
  }
  const { asserts, tasks, passed } = round.shown;
  const prefix = `${join(site.integration, 'targets')}/`;
  const places = [...passed].map(([at, times]) => [at.replace(prefix, ''), times] as const);
  const faults = [...stuck, ...round.others.map(place)];
  return { answer: { asserts, tasks, passed: places, faults, calls: round.calls }, cut };
}

function placeOf({ integration, folder }: Site, { file, line }: Fault): string {
  const within = file.replace(`${join(integration, 'targets')}/`, '').replace(folder, '');
  return line === 0 ? within : `${within}:${line}`;
}

async function pruneAt(site: Site, at: string): Promise<void> {
  const [, file = '', line = '0'] = /^(.*):(\d+)$/.exec(at) ?? [];
  if (file.endsWith('.sh')) return;
  await prune(join(site.integration, 'targets', file), Number(line));
}
