/**
 * The kernel's command line as a text: options separated by blanks, on one line. Firmware reads the first line of
 * its file and nothing else.
 */
import { TaskError } from '../../../engine/module.ts';

/** The options of a line. */
export function wordsOf(line: string): string[] {
  return line.split(/\s+/).filter((word) => word !== '');
}

/** The options that do not count in a line: missing, or undone by a later one (`x_disable=` after `x_enable=`). */
export function withoutEffect(line: string, options: readonly string[]): string[] {
  const words = wordsOf(line);
  return options.filter((option) => words.lastIndexOf(option) <= lastOpponent(words, option));
}

/**
 * The text of a file with the options on its only line: each once, missing ones at the end. Everything else stays in
 * its place. Throws TaskError where the file has a second line with something else.
 */
export function withOptions(text: string, options: readonly string[]): string {
  const [first = '', ...others] = text.replaceAll('\r', '').split('\n');
  const dead = others.flatMap(wordsOf).filter((word) => !options.includes(word));
  if (dead.length > 0) {
    throw new TaskError(`the second line is never read: "${dead.join(' ')}"`, {
      hint: 'join it to the first line, or remove it',
    });
  }
  const line = options.reduce(withOption, first);
  const end = others.length > 0 ? '\n' : '';
  return line === first && others.every((each) => each === '')
    ? text.replaceAll('\r', '')
    : line + end;
}

/** The text without the options; everything else stays as it is. */
export function withoutOptions(text: string, options: readonly string[]): string {
  const lines = text.split('\n');
  return lines.map((line) => options.reduce((rest, each) => drop(rest, each), line)).join('\n');
}

function withOption(line: string, option: string): string {
  const words = wordsOf(line);
  const at = words.indexOf(option, lastOpponent(words, option) + 1);
  if (at < 0) return `${drop(line, option).trimEnd()} ${option}`.trimStart();
  const count = words.slice(0, at).filter((word) => word === option).length;
  return drop(line, option, count);
}

/** The line without the option, but for the occurrence of the number `kept`. */
function drop(line: string, option: string, kept = -1): string {
  let count = -1;
  return line.replace(/(\s*)(\S+)/g, (all, _blanks: string, word: string) => {
    if (word !== option) return all;
    count++;
    return count === kept ? all : '';
  });
}

/** Where the last option stands that undoes this one; -1 where there is none. */
function lastOpponent(words: readonly string[], option: string): number {
  const [, name, value = ''] = /^(.+)_enable=(.+)$/.exec(option) ?? [];
  if (name === undefined) return -1;
  return words.findLastIndex((word) => {
    const [, listed] = word.split(`${name}_disable=`);
    return word.startsWith(`${name}_disable=`) && (listed ?? '').split(',').includes(value);
  });
}
