/** Where the holes of a template of shell text stand. */
import { BEFORE_COMMAND, type Nesting } from './shell-nesting.ts';
import { refused, ShellScanner } from './shell-scanner.ts';

/**
 * What a value is to the shell in its hole: `word` where quoting protects it, `quoted` where quotes would be text
 * (double quotes, parameters, arithmetic, here-documents), `script` where a shell runs it.
 */
export type Hole = 'word' | 'quoted' | 'script';

const SHELLS = /(?:^|\/)(?:sh|bash|dash|ash|ksh|mksh|zsh|su)$/;

/** Reads the parts of a template. Throws SyntaxError where no value may stand, and where something is left open. */
export function readHoles(parts: readonly string[]): readonly Hole[] {
  const scanner = new ShellScanner();
  const holes: Hole[] = [];
  for (const [i, part] of parts.entries()) {
    scanner.read(part);
    if (i < parts.length - 1) holes.push(holeIn(scanner.nesting));
  }
  scanner.end();
  return holes;
}

function holeIn({ top, text }: Nesting): Hole {
  const { kind, word, words } = top;
  if (kind === 'single' || kind === 'comment') throw refused(text);
  top.word += '\0';
  if (kind !== 'command' || word.endsWith('$')) return 'quoted';
  return isScript(words) ? 'script' : 'word';
}

/** Whether the next word is text that a shell runs: of `eval` and `trap`, and behind `sh -c`. */
function isScript(words: readonly string[]): boolean {
  const command = words.filter((word) => !BEFORE_COMMAND.test(word));
  if (command[0] === 'eval' || (command[0] === 'trap' && command.length === 1)) return true;
  return /^-\w*c$/.test(words.at(-1) ?? '') && words.some((word) => SHELLS.test(word));
}
