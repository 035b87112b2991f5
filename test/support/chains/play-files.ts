/** Plays chains about files on this machine, a check run and then a run, and compares them. */
import { chmodSync, mkdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { type PlayedHere, playHere, type World } from '../play-here.ts';
import { type Chain, chains, playbookOf } from './chain.ts';
import { disagreements, restless } from './compare.ts';
import { CHAIN_PATHS, fileTask } from './file-tasks.ts';

/** What is in the folder of a chain before it begins. */
type Start = readonly (keyof typeof THINGS)[];

const THINGS = {
  d: (path: string) => mkdirSync(path),
  'd/e': (path: string) => mkdirSync(path),
  'd/f': (path: string) => writeFileSync(path, 'a=1\n'),
  f: (path: string) => writeFileSync(path, 'one\n', { mode: 0o600 }),
  'd/e/f': (path: string) => writeFileSync(path, '# x\nno end'),
  g: (path: string) => mkdirSync(path, { mode: 0o700 }),
  'g/top': (path: string) => writeFileSync(path, 'other\n'),
  'g/sub': (path: string) => mkdirSync(path),
  l: (path: string) => symlinkSync('d', path),
  k: (path: string) => symlinkSync('f', path),
  'd/l': (path: string) => symlinkSync('../g', path),
  made: (path: string) => writeFileSync(path, ''),
  handled: (path: string) => {
    writeFileSync(path, 'old\n');
    chmodSync(path, 0o640);
  },
};

export interface Story {
  readonly start: Start;
  readonly chain: Chain;
}

/** A folder with something in it, and a chain of tasks. */
export function fileStories(length: number): fc.Arbitrary<Story> {
  // The names of an object are its keys.
  const things = Object.keys(THINGS) as Start;
  return fc.record({ start: fc.subarray([...things]), chain: chains(fileTask, length) });
}

/** What is wrong about a story, in words; nothing where the check run tells the truth and repetitions are idle. */
export async function faultsHere(
  { start, chain }: Story,
  world: World,
  server: string,
): Promise<string[]> {
  const directory = world.path('work');
  rmSync(directory, { recursive: true, force: true });
  mkdirSync(directory);
  for (const name of start) {
    try {
      THINGS[name](join(directory, name));
    } catch {
      // Its directory is not there.
    }
  }
  world.write({ 'play.yaml': playbookOf(chain, mentionedPaths(chain)) });
  const check = await play(world, server, { check: true, diff: true });
  const run = await play(world, server, { diff: true });
  return [...disagreements(chain, check, run), ...restless(chain, run)];
}

/** Paths that the tasks of a chain may have to do with. */
function mentionedPaths(chain: Chain): string[] {
  const text = JSON.stringify(chain);
  const isTree = /"(tree\/?|[ab]\.(tgz|zip)|deep\.tgz)"|a\.tgz|b\.zip/.test(text);
  return CHAIN_PATHS.filter((path) => {
    const [name = ''] = path.split('/').slice(-1);
    return (
      text.includes(`${path}"`) ||
      (isTree && /^(top|sub|deep|tree|one)$/.test(name)) ||
      name === 'handled'
    );
  });
}

function play(
  world: World,
  server: string,
  flags: { check?: boolean; diff?: boolean },
): Promise<PlayedHere> {
  const extraVars = [`dir=${world.path('work')}`, `server=${server}`];
  return playHere(world, {
    flags: { ...flags, inventory: ['localhost,'], connection: 'local', extraVars },
  });
}
