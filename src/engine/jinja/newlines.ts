import type { Val } from './objects.ts';

/**
 * Jinja drops the last newline of a template; a text keeps as many as its template had. The header of a file says how
 * lines end but for these, as with Ansible.
 */
export function withNewlines(value: Val, template: string, lineEnd: string): Val {
  if (typeof value !== 'string') return value;
  const wanted = trailingNewlines(template);
  const present = trailingNewlines(value);
  return wanted > present ? value + lineEnd.repeat(wanted - present) : value;
}

function trailingNewlines(text: string): number {
  let count = 0;
  while (text[text.length - 1 - count] === '\n') count += 1;
  return count;
}
