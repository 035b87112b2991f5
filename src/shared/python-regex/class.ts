import { type CharacterMode, classRange, escapedCharacter, namedSet } from './characters.ts';
import type { Scanner } from './scanner.ts';

interface Member {
  /** One character, that may begin or end a range. */
  readonly char?: string;
  /** A named set such as `[\p{Nd}]`. */
  readonly set?: string;
}

/** Reads a class, its `[` already read, and writes it for JavaScript. Throws RegexSyntaxError. */
export function readClass(scanner: Scanner, mode: CharacterMode): string {
  const negated = scanner.take('^');
  let source = '';
  do {
    source += readRange(scanner, mode);
  } while (!scanner.take(']'));
  return `[${negated ? '^' : ''}${source}]`;
}

function readRange(scanner: Scanner, mode: CharacterMode): string {
  const from = readMember(scanner, mode);
  if (!scanner.startsWith('-') || scanner.startsWith('-]')) return written(from, from, mode);
  scanner.take('-');
  const to = readMember(scanner, mode);
  const isRange = from.char !== undefined && to.char !== undefined;
  if (!isRange || (from.char.codePointAt(0) ?? 0) > (to.char.codePointAt(0) ?? 0)) {
    throw scanner.wrong('bad character range');
  }
  return written(from, to, mode);
}

function written(from: Member, to: Member, mode: CharacterMode): string {
  return from.set ?? classRange(from.char ?? '', to.char ?? '', mode);
}

function readMember(scanner: Scanner, mode: CharacterMode): Member {
  const char = scanner.next();
  if (char !== '\\') return { char };
  if (scanner.take('b')) return { char: '\b' };
  const set = namedSet(scanner.text[scanner.at] ?? '', mode);
  if (set === undefined) return { char: escapedCharacter(scanner) };
  scanner.at++;
  return { set };
}
