import { createHash } from 'node:crypto';
import { table } from '../../../shared/table.ts';
import { type Json, memberOf, pythonJson, textOf } from './json.ts';

/** Members that count beside the name, before it and after it. */
const COUNTING: Readonly<Record<string, readonly [before: string[], after: string[]]>> = table({
  ConfigMap: [['data', 'kind'], []],
  Secret: [['data', 'kind'], ['type']],
});
/** Digits of the digest that could make words. */
const REPLACED: Readonly<Record<string, string>> = table({
  0: 'g',
  1: 'h',
  3: 'k',
  a: 'm',
  e: 't',
});

/**
 * A ConfigMap or Secret with a hash of its content at the end of its name, the same that kubernetes.core appends; other
 * kinds as they are.
 */
export function withHash(definition: Json): Json {
  const [before, after] = COUNTING[textOf(definition, 'kind') ?? ''] ?? [];
  const metadata = memberOf(definition, 'metadata');
  const key = textOf(metadata, 'name') ? 'name' : 'generateName';
  const name = textOf(metadata, key);
  if (before === undefined || after === undefined || !name) return definition;
  const member = (each: string) => `"${each}":${pythonJson(definition[each] ?? '')}`;
  const parts = [...before.map(member), `"${key}":${pythonJson(name)}`, ...after.map(member)];
  return { ...definition, metadata: { ...metadata, [key]: `${name}-${digest(parts.join(','))}` } };
}

function digest(members: string): string {
  const hex = createHash('sha256').update(`{${members}}`).digest('hex').slice(0, 10);
  return hex.replace(/[013ae]/g, (digit) => REPLACED[digit] ?? digit);
}
