/**
 * `config.txt` of the Raspberry Pi's firmware, as far as it says which file holds the kernel's command line
 * (raspberrypi.com/documentation/computers/config_txt.html: conditional filters, `os_prefix`, `cmdline`, `include`).
 */
import { table } from '../../../shared/table.ts';

export interface BootFileName {
  /** Relative to the firmware partition: `os_prefix` and the name. */
  readonly path: string;
  /** The name without `os_prefix`, which the firmware takes where nothing has that prefix. */
  readonly plain: string;
}

interface Board {
  /** As `/proc/device-tree/model` says. */
  readonly model: string;
  /** A trial boot of new files (`[tryboot]`). */
  readonly isTrial: boolean;
}

/** The models that a filter is for, as `/proc/device-tree/model` writes them. */
const MODELS: Readonly<Record<string, RegExp>> = table({
  pi0: /^Raspberry Pi Zero/,
  pi0w: /^Raspberry Pi Zero (2 )?W/,
  pi02: /^Raspberry Pi Zero 2/,
  pi1: /^Raspberry Pi (Model|Compute Module Rev)/,
  pi2: /^Raspberry Pi 2/,
  pi3: /^Raspberry Pi (Compute Module )?3/,
  'pi3+': /^Raspberry Pi 3 .*Plus/,
  pi4: /^Raspberry Pi (Compute Module )?4/,
  pi400: /^Raspberry Pi 400/,
  cm4: /^Raspberry Pi Compute Module 4 /,
  cm4s: /^Raspberry Pi Compute Module 4S/,
  pi5: /^Raspberry Pi (Compute Module )?5/,
  pi500: /^Raspberry Pi 500/,
  cm5: /^Raspberry Pi Compute Module 5/,
});

const INCLUDE_DEPTH = 10;

/** The name of the file with the command line, from `config.txt` and the files that it includes, by their names. */
export function bootFileName(files: ReadonlyMap<string, string>, board: Board): BootFileName {
  const settings = new Map<string, string>();
  const applies = new Filters(board);
  for (const line of linesOf(files, 'config.txt', 0)) {
    const [, filter] = /^\[(.*)\]$/.exec(line) ?? [];
    const [, key = '', value = ''] = /^(os_prefix|cmdline)=(.*)$/.exec(line) ?? [];
    if (filter !== undefined) applies.add(filter);
    else if (key !== '' && applies.pass) settings.set(key, value);
  }
  const plain = settings.get('cmdline') || 'cmdline.txt';
  return { path: `${settings.get('os_prefix') ?? ''}${plain}`, plain };
}

function linesOf(files: ReadonlyMap<string, string>, name: string, depth: number): string[] {
  const lines = (files.get(name) ?? '').split('\n').map((line) => line.trim());
  return lines.flatMap((line) => {
    const [, included] = /^include\s+(\S+)$/.exec(line) ?? [];
    if (included === undefined) return [line];
    return depth < INCLUDE_DEPTH ? linesOf(files, included, depth + 1) : [];
  });
}

/** Filters of one kind replace each other, those of different kinds all have to pass, `[all]` lifts them. */
class Filters {
  readonly #board: Board;
  readonly #passed = new Map<string, boolean>();

  constructor(board: Board) {
    this.#board = board;
  }

  get pass(): boolean {
    return [...this.#passed.values()].every(Boolean);
  }

  add(filter: string): void {
    if (filter === 'all') this.#passed.clear();
    else if (filter === 'tryboot') this.#passed.set('tryboot', this.#board.isTrial);
    else if (MODELS[filter] !== undefined) {
      this.#passed.set('model', MODELS[filter].test(this.#board.model));
    } else {
      // What depends on monitors, pins or serial numbers is not for the boot file of a node.
      this.#passed.set(filter === 'none' ? 'none' : 'other', false);
    }
  }
}
