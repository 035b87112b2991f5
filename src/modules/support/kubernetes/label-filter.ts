import { type Json, memberOf } from './json.ts';

const IN_SET = /^\s*([a-zA-Z0-9][\w.\-/]*)\s+(notin|in)\s+\((.*)\)\s*$/;
const EQUALS = /^([^=!]+)(==|!=|=)(.*)$/;

/** Whether the labels that a definition has match all selectors; one without labels matches none. */
export function matchesLabels(definition: Json, selectors: readonly string[]): boolean {
  const metadata = memberOf(definition, 'metadata');
  if (metadata['labels'] === undefined) return false;
  const labels = memberOf(metadata, 'labels');
  return selectors.every((selector) => matches(labels, selector));
}

function matches(labels: Json, selector: string): boolean {
  const [, key = '', operator, members = ''] =
    IN_SET.exec(selector) ?? EQUALS.exec(selector.replaceAll(' ', '')) ?? [];
  const has = (name: string) => Object.hasOwn(labels, name);
  if (operator === undefined) {
    const word = selector.trim();
    return word.startsWith('!') ? !has(word.slice(1).trim()) : has(word);
  }
  const values = members.split(',').map((each) => each.trim());
  const isIn = has(key) && values.includes(String(labels[key]));
  return operator === 'notin' || operator === '!=' ? !isIn : isIn;
}
