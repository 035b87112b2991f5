import type { Target } from './ast.ts';
import { SyntaxFault } from './errors.ts';
import type { TokenStream } from './token-stream.ts';

/** Reads what set or for assigns to: a name, a member of a namespace, or several with commas. */
export function parseTarget(stream: TokenStream): Target {
  const { at } = stream.current;
  const items: Target[] = [parseSingleTarget(stream)];
  let hasComma = false;
  while (stream.skipOperator(',')) {
    hasComma = true;
    if (!stream.at('name') && !stream.isOperator('(')) break;
    items.push(parseSingleTarget(stream));
  }
  const [only] = items;
  return !hasComma && only !== undefined ? only : { kind: 'tuple', items, at };
}

/** Reads one target; a list of them only in parentheses. */
export function parseSingleTarget(stream: TokenStream): Target {
  if (stream.skipOperator('(')) {
    const inner = stream.nested(() => parseTarget(stream));
    stream.expectOperator(')');
    return inner;
  }
  const { text, at } = stream.expect('name');
  if (/^(?:true|false|none|True|False|None)$/.test(text)) {
    throw new SyntaxFault(`"${text}" cannot be assigned to`, at);
  }
  if (!stream.skipOperator('.')) return { kind: 'name', name: text, at };
  return { kind: 'member', name: text, member: stream.expect('name').text, at };
}
