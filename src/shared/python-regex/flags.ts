import type { Scanner } from './scanner.ts';

/** How a pattern is read: Python's re.I, re.M, re.S, re.X and re.A. */
export interface RegexFlags {
  readonly ignoreCase?: boolean;
  readonly multiline?: boolean;
  readonly dotAll?: boolean;
  readonly verbose?: boolean;
  readonly ascii?: boolean;
}

/** Every flag, on or off, as it holds for a part of a pattern. */
export type Mode = Required<RegexFlags>;
const LETTERS = new Map<string, keyof Mode>([
  ['i', 'ignoreCase'],
  ['m', 'multiline'],
  ['s', 'dotAll'],
  ['x', 'verbose'],
  ['a', 'ascii'],
]);
const PLAIN: Mode = {
  ignoreCase: false,
  multiline: false,
  dotAll: false,
  verbose: false,
  ascii: false,
};
/** Reads the flags that a pattern begins with: `(?im)`. */
export function readGlobalFlags(scanner: Scanner, given: RegexFlags): Mode {
  let mode: Mode = { ...PLAIN, ...given };
  for (let found = globalFlags(scanner); found; found = globalFlags(scanner)) {
    mode = withFlags(mode, found[1] ?? '', true);
  }
  return mode;
}

/** Changes the mode as `i-m:` at the beginning of a group asks. */
export function scopedFlags(mode: Mode, flags: string): Mode {
  const [on = '', off = ''] = flags.replace(':', '').split('-');
  return withFlags(withFlags(mode, on, true), off, false);
}

function globalFlags(scanner: Scanner): RegExpExecArray | undefined {
  return scanner.match(/\(\?([aimsux]+)\)/y);
}

function withFlags(mode: Mode, letters: string, state: boolean): Mode {
  const named = [...letters]
    .map((letter) => LETTERS.get(letter))
    .filter((name) => name !== undefined);
  return { ...mode, ...Object.fromEntries(named.map((name) => [name, state])) };
}
