import { type CharacterMode, namedSet } from './characters.ts';
import type { Mode } from './flags.ts';

export const START = '(?<![\\s\\S])';
export const END = '(?![\\s\\S])';

/** `\b`, or `\B` where `isBoundary` is false. */
export function boundary(characters: CharacterMode, isBoundary: boolean): string {
  const word = namedSet('w', characters);
  const [same, other] = isBoundary ? ['!', '='] : ['=', '!'];
  return `(?:(?<=${word})(?${same}${word})|(?<!${word})(?${other}${word}))`;
}

/** What `.`, `^` and `$` mean in a mode; undefined for any other character. */
export function anchor(char: string, { dotAll, multiline }: Mode): string | undefined {
  if (char === '.') return dotAll ? '[\\s\\S]' : '[^\\n]';
  if (char === '^') return multiline ? '(?<![^\\n])' : START;
  if (char === '$') return multiline ? `(?=\\n|${END})` : `(?=\\n?${END})`;
  return undefined;
}
