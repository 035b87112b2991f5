/** Where a failed task is written, with the lines around it. */
import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import type { Position } from '../../engine/values.ts';

const LINES_BEFORE = 2;

/** `[ERROR]: Task failed: …`, the place, and unless they are secret the lines of the file that lead to it. */
export function failureNote(message: string, position: Position, showsLines: boolean): string {
  const { line, column } = position;
  const file = position.file.startsWith('<') ? position.file : resolve(position.file);
  const head = `[ERROR]: Task failed: ${message}\nOrigin: ${file}:${line}:${column}\n`;
  const excerpt = showsLines ? excerptOf(position) : undefined;
  return excerpt === undefined ? `${head}\n` : `${head}\n${excerpt}\n\n`;
}

function excerptOf({ file, line, column }: Position): string | undefined {
  const lines = linesOf(file);
  if (lines === undefined || line > lines.length) return undefined;
  const first = Math.max(1, line - LINES_BEFORE);
  const width = String(line).length;
  const shown = lines
    .slice(first - 1, line)
    .map((text, i) => `${String(first + i).padStart(width)} ${text}`.trimEnd());
  return [...shown, `${' '.repeat(width + column)}^ column ${column}`].join('\n');
}

/** The lines of a file; undefined for one that cannot be read, and for one that is encrypted. */
function linesOf(file: string): string[] | undefined {
  try {
    const text = readFileSync(file, 'utf8');
    return text.startsWith('$ANSIBLE_VAULT') ? undefined : text.split('\n');
  } catch {
    return undefined;
  }
}
