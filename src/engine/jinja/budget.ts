import { getHeapStatistics } from 'node:v8';
import { TemplateError } from './errors.ts';

/** Members of lists and dicts that one walk through a value may visit. */
const MAX_MEMBERS = 2_000_000;
/** Characters that one walk may read or write. */
const MAX_CHARACTERS = 50_000_000;
/** What one evaluation may do, in characters that are read or made: some seconds of work. */
const MAX_WORK = 10_000_000_000;
/** What a member counts as there. */
const MEMBER_WORK = 100;
/** How often the memory is looked at, in work. */
const CHECK_EVERY = 20_000_000;
/** Memory that one evaluation may take, in bytes, and how much of all that there is may be in use. */
const MAX_HEAP_BYTES = 800_000_000;
const MAX_HEAP_SHARE = 0.8;

// Evaluation is synchronous, so there is one at a time, with others inside it where its variables are templates.
let depth = 0;
let work = 0;
let checkedAt = 0;
let heapBytesBefore: number | undefined;

/** Runs an evaluation. What evaluations inside it do counts as its own. */
export function metered<T>(run: () => T): T {
  if (depth === 0) {
    work = 0;
    checkedAt = 0;
    heapBytesBefore = undefined;
  }
  depth += 1;
  try {
    return run();
  } finally {
    depth -= 1;
  }
}

/** Counts work of the evaluation, in characters. Throws TemplateError where there is too much, or too little memory. */
export function charge(characters: number): void {
  work += characters;
  if (work - checkedAt < CHECK_EVERY || depth === 0) return;
  checkedAt = work;
  if (work > MAX_WORK) throw limitError('the template runs without end');
  const { used_heap_size: used, heap_size_limit: limit } = getHeapStatistics();
  heapBytesBefore ??= used;
  if (used > Math.min(heapBytesBefore + MAX_HEAP_BYTES, limit * MAX_HEAP_SHARE))
    throw limitError('the template takes too much memory: the values are too large');
}

/** An error that ends the evaluation, wherever it is thrown. */
export function limitError(message: string): TemplateError {
  return new TemplateError(message, { isLimit: true });
}

/**
 * What one walk through a value may still cost. A list that holds another one twice, and that a third one twice, is
 * small to make and without end to walk through.
 */
export class Budget {
  #members = MAX_MEMBERS;
  #characters: number;

  constructor(characters = MAX_CHARACTERS) {
    this.#characters = characters;
  }

  /** Counts members. Throws TemplateError where a walk has no end, or its result no room in memory. */
  visit(members = 1): void {
    this.#members -= members;
    if (this.#members < 0) throw limitError('the value is too large');
    charge(members * MEMBER_WORK);
  }

  /** Counts characters, as `visit` counts members. */
  spend(characters: number): void {
    this.#characters -= characters;
    if (this.#characters < 0) throw limitError('the value is too large');
    charge(characters);
  }
}
