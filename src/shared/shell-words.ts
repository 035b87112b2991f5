/** Splitting a command into words, as a POSIX shell does. */

/**
 * The words of a command, by the rules of Python's `shlex.split`: blanks separate, single quotes keep everything,
 * double quotes let `\` protect `"` and `\`, a bare `\` protects any character. Throws SyntaxError on an open quote.
 */
export function splitWords(text: string): string[] {
  const words: string[] = [];
  let word: string | undefined;
  for (let i = 0; i < text.length; ) {
    const char = text.charAt(i);
    if (/[ \t\r\n]/.test(char)) {
      if (word !== undefined) words.push(word);
      word = undefined;
      i++;
      continue;
    }
    const piece = readPiece(text, i);
    word = (word ?? '') + piece.text;
    i = piece.end;
  }
  return word === undefined ? words : [...words, word];
}

interface Piece {
  readonly text: string;
  readonly end: number;
}

function readPiece(text: string, start: number): Piece {
  const char = text.charAt(start);
  if (char === "'") {
    const end = text.indexOf("'", start + 1);
    if (end < 0) throw new SyntaxError('No closing quotation');
    return { text: text.slice(start + 1, end), end: end + 1 };
  }
  if (char === '"') return readDoubleQuoted(text, start + 1);
  if (char !== '\\') return { text: char, end: start + 1 };
  if (start + 1 === text.length) throw new SyntaxError('No escaped character');
  return { text: text.charAt(start + 1), end: start + 2 };
}

function readDoubleQuoted(text: string, start: number): Piece {
  const match = /^((?:[^"\\]|\\[\s\S])*)"/.exec(text.slice(start));
  if (match === null) throw new SyntaxError('No closing quotation');
  const [whole, body = ''] = match;
  return { text: body.replace(/\\(["\\])/g, '$1'), end: start + whole.length };
}
