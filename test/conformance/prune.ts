import { readFile, writeFile } from 'node:fs/promises';
import { isMap, isSeq, LineCounter, parseDocument, type YAMLMap } from 'yaml';

const LISTS = ['block', 'rescue', 'always', 'tasks', 'pre_tasks', 'post_tasks', 'handlers'];

/**
 * Replaces the task at a line of a file by one that does nothing, so that what comes after it is seen as well; all
 * other lines keep their numbers. Says whether there was one.
 */
export async function prune(file: string, line: number): Promise<boolean> {
  const text = await readFile(file, 'utf8').catch(() => '');
  const pruned = withoutTask(text, line);
  if (pruned !== undefined) await writeFile(file, pruned);
  return pruned !== undefined;
}

/** A file of tasks or plays in which the task at a line does nothing, or nothing where there is none. */
export function withoutTask(text: string, line: number): string | undefined {
  const counter = new LineCounter();
  const { contents } = parseDocument(text, { lineCounter: counter, logLevel: 'silent' });
  const task = findTask(contents, (node) => {
    const [start = 0, end = 0] = node.range ?? [];
    // The end of a block is the beginning of the line after it.
    const last = counter.linePos(Math.max(start, end - 1)).line;
    return counter.linePos(start).line <= line && line <= last;
  });
  if (task?.range == null) return undefined;
  const [start, end] = task.range;
  const first = counter.linePos(start);
  const last = counter.linePos(Math.max(start, end - 1)).line;
  const lines = text.split('\n');
  const indent = (lines[first.line - 1] ?? '').match(/^[ -]*- /)?.[0];
  if (indent === undefined) return undefined;
  lines.fill('', first.line - 1, last);
  lines[first.line - 1] = `${indent}ansible.builtin.meta: noop`;
  return lines.join('\n');
}

/** The innermost task that holds the place. A play is none. */
function findTask(list: unknown, holds: (node: YAMLMap) => boolean): YAMLMap | undefined {
  if (!isSeq(list)) return undefined;
  const item = list.items.find((each) => isMap(each) && holds(each));
  if (!isMap(item)) return undefined;
  for (const name of LISTS) {
    const inner = findTask(item.get(name), holds);
    if (inner) return inner;
  }
  const isPlay = item.has('hosts') || item.has('import_playbook');
  const isBlock = LISTS.some((name) => item.has(name));
  return isPlay || isBlock ? undefined : item;
}
