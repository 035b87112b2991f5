/** Looks over playbooks inside the test's own process, as `tsprov validate` and the start of a run do. */
import { openSetting } from '../../src/cli/run-services.ts';
import type { RunEvent } from '../../src/engine/run/events.ts';
import { type Look, loadPlaybooks } from '../../src/engine/run-playbook.ts';
import type { Dict } from '../../src/engine/values.ts';
import { formatProblem, InvalidInput } from '../../src/shared/errors.ts';
import { makeWorld } from './play-here.ts';

export interface LookOver {
  readonly files: Readonly<Record<string, string>>;
  readonly look?: Look;
  readonly inventory?: string;
  /** What earlier runs have kept of hosts. */
  readonly facts?: Readonly<Record<string, Dict>>;
}

/** What refuses the run, and what is only warned of; paths are relative to the playbook. */
export interface Seen {
  readonly refused: readonly string[];
  readonly warned: readonly string[];
}

/** Looks over `play.yaml`. */
export async function lookOver({ files, look = {}, inventory, facts }: LookOver): Promise<Seen> {
  const world = makeWorld(files);
  const relative = (text: string) =>
    text.replaceAll(`${world.directory}/`, '').replaceAll(world.directory, '.');
  const warned: string[] = [];
  const emit = (event: RunEvent) => {
    if (event.type !== 'warning') return;
    const { text, position: place } = event;
    warned.push(relative(formatProblem({ place, message: text })));
  };
  const play = world.path('play.yaml');
  const factCache = facts && {
    read: (host: string) => facts[host],
    write: () => undefined,
    forget: () => undefined,
  };
  const flags = { inventory: [inventory === undefined ? 'localhost,' : world.path(inventory)] };
  try {
    const setting = await openSetting(flags, [play]);
    await loadPlaybooks([play], { ...setting, emit, factCache }, { deep: true, ...look });
    return { refused: [], warned };
  } catch (error) {
    if (!(error instanceof InvalidInput)) throw error;
    return { refused: error.problems.map(formatProblem).map(relative), warned };
  } finally {
    world.remove();
  }
}
