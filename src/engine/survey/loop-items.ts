/** What a text says for each item of a loop that is written out. */
import { literal } from '../playbook/certainty.ts';
import type { Task } from '../playbook/model.ts';
import { isDict, TrustedTemplate, type Value } from '../values.ts';

const FLAT: ReadonlySet<string | undefined> = new Set(['items', 'flattened']);
const AS_WRITTEN: ReadonlySet<string | undefined> = new Set([undefined, 'list']);

/** Every text that a value stands for; undefined among them where only the run can tell. */
export function textsOf(task: Task, value: Value | undefined): readonly (string | undefined)[] {
  if (!(value instanceof TrustedTemplate)) return [literal(value)];
  const items = itemsOf(task);
  if (items === undefined || items.length === 0) return [undefined];
  const variable = loopVariable(task);
  return items.map((item) => withItem(value.text, variable, item));
}

function itemsOf({ loop }: Task): readonly Value[] | undefined {
  if (loop === undefined || !Array.isArray(loop.value)) return undefined;
  if (AS_WRITTEN.has(loop.lookup)) return loop.value;
  return FLAT.has(loop.lookup) ? loop.value.flat() : undefined;
}

function loopVariable({ keywords }: Task): string {
  const control = keywords.get('loop_control') ?? null;
  const name = isDict(control) ? control.get('loop_var') : undefined;
  return name === undefined ? 'item' : String(name);
}

const BRACES = /\{\{\s*(\w+)(?:\.(\w+)|\[['"](\w+)['"]\])?\s*\}\}/g;

/** The text with an item, or a member of it, in place of the loop's variable. */
function withItem(text: string, variable: string, item: Value): string | undefined {
  const said = text.replace(BRACES, (whole, name: string, dotted?: string, quoted?: string) => {
    const member = dotted ?? quoted;
    const value = member === undefined || !isDict(item) ? item : (item.get(member) ?? null);
    const isPlain = typeof value === 'string' && (member === undefined || isDict(item));
    return name === variable && isPlain ? value : whole;
  });
  return /\{[{%#]/.test(said) ? undefined : literal(said);
}
