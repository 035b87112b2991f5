/** One good call of a function of the template language; the matrix varies it. */
export interface Call {
  readonly name: string;
  /** An expression that the function takes. */
  readonly input: string;
  /** Named arguments that it takes, each with an expression. A name in `*` has none: it is given by position. */
  readonly args: Readonly<Record<string, string>>;
  /** Whether only success or failure is compared: the value is random, or tells of the machine. */
  readonly isLoose?: boolean;
  /** Values, by their expression, that would keep Python busy for ever. */
  readonly without?: readonly string[];
  /** Values that the input is not replaced by: they would be written files. */
  readonly withoutInputs?: readonly string[];
  /** Whether the order of what it gives is left to chance. */
  readonly isUnordered?: boolean;
  /** Arguments of every variation: without them the value is random, or slow to find. */
  readonly always?: string;
}

/** A call as it is written down. */
export type CallRow = readonly [
  name: string,
  input: string,
  args?: Readonly<Record<string, string>>,
  rules?: Partial<Omit<Call, 'name' | 'input' | 'args'>>,
];

/** A call from its row. */
export const toCall = ([name, input, args = {}, rules = {}]: CallRow): Call => ({
  name,
  input,
  args,
  ...rules,
});

export const LIST = "['b', 'a', 'B']";
export const ROWS = "[{'k': 'x', 'v': 1}, {'k': 'y', 'v': 2}]";
export const NESTED = "[{'n': 'x', 'l': [1, 2]}, {'n': 'y', 'l': []}]";
export const LOOSE = { isLoose: true };
/** Whether it fails is left to chance where one of several items does. */
export const LUCKY = { isLoose: true, without: ['[1, nosuch]', '[1, broken]'] };
export const NO_BIG = { without: ['big'] };
/** All orders of a long text are too many. */
export const SHORT = { without: ['text', 'lines', "'/a/../b.c'", "('<a>' | escape)"] };
/** `yes` is a program that never ends. */
export const COMMAND = { without: ["'yes'"] };
/** Python's sets have no order. */
export const SET = { isUnordered: true };
export const SEEDED = { always: "seed='x'" };
export const SALTED = { always: "salt='abc'" };
/** Names of files that would be written. */
export const FILE_NAMES = {
  withoutInputs: [
    'text',
    'lines',
    "'42'",
    "'1.5'",
    "'yes'",
    "'/a/../b.c'",
    "('<a>' | escape)",
    "' '",
  ],
};
