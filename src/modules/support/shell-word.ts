/** Words whose `~`, `$VARIABLES` and wildcards the host's own shell resolves, and nothing else in them. */
import { type Command, givenScript, inlined } from '../../shared/shell.ts';

/** Variables that a shell has for itself and a program started by it does not see. */
const SHELL_OWN = new Set(['IFS', 'LINENO', 'OPTARG', 'OPTIND', 'PPID', 'PS1', 'PS2', 'PS4']);

const VARIABLE = /\$(?:\{([A-Za-z_]\w*)\}|([A-Za-z_]\w*))/g;
const WILDCARD = /[*?]|\[!?[\w.,-]+\]/g;

/**
 * One shell word: a leading `~` or `~name` and `$NAME` or `${NAME}` are expanded on the host, as Python's
 * `expanduser` and `expandvars` do; a variable that is not set stays as it is written. Everything else is literal.
 */
export function expandedWord(text: string): Command {
  return wordOf(text, (plain) => inDoubleQuotes(plain));
}

/** Like `expandedWord`, with the wildcards `*`, `?` and `[…]` left for the shell to match. */
export function globWord(text: string): Command {
  return wordOf(text, (plain) => replaceParts(plain, WILDCARD, inDoubleQuotes, ([wild]) => wild));
}

function wordOf(text: string, literal: (plain: string) => string): Command {
  // A quote before the first slash would be part of the user's name.
  const [tilde = ''] = /^~[\w.-]*(?:\/|$)/.exec(text) ?? [];
  const rest = replaceParts(text.slice(tilde.length), VARIABLE, literal, (match) => {
    const [whole, braced, bare] = match;
    const name = braced ?? bare ?? '';
    return SHELL_OWN.has(name)
      ? inDoubleQuotes(whole)
      : `"\${${name}-${escaped(whole).replace('}', '\\}')}}"`;
  });
  const word = tilde + rest;
  return inlined(givenScript(word === '' ? "''" : word));
}

/** Rewrites the matches of a pattern one way, and what lies between them the other. */
function replaceParts(
  text: string,
  pattern: RegExp,
  between: (plain: string) => string,
  rewrite: (match: RegExpExecArray) => string,
): string {
  let made = '';
  let end = 0;
  for (const match of text.matchAll(pattern)) {
    made += between(text.slice(end, match.index)) + rewrite(match);
    end = match.index + match[0].length;
  }
  return made + between(text.slice(end));
}

function inDoubleQuotes(text: string): string {
  return text === '' ? '' : `"${escaped(text)}"`;
}

function escaped(text: string): string {
  return text.replace(/["$`\\]/g, '\\$&');
}
