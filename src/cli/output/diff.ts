/** What `--diff` prints: unified text, states as JSON, or text made by the tool itself. */
import { createTwoFilesPatch } from 'diff';
import type pc from 'picocolors';
import { dumpJson } from '../../engine/jinja/json.ts';
import type { Diff } from '../../engine/module.ts';
import { fromPlain } from '../../engine/values.ts';
import type { OutputOptions } from './output-port.ts';

const SLOWEST_DIFF_MS = 1000;

/** The text of one diff, with a blank line after it; empty when nothing differs. */
export function diffText(diff: Diff, { settings }: OutputOptions, paint: typeof pc): string {
  if ('prepared' in diff) return diff.prepared === '' ? '' : `${diff.prepared}\n`;
  const { before, after } = diff;
  if (typeof before !== 'string' || typeof after !== 'string') {
    return unified({ before: json(before), after: json(after) }, settings.diffContextLines, paint);
  }
  const limit = settings.maxDiffSizeBytes;
  if (before.length > limit || after.length > limit)
    return `diff skipped: size is greater than ${limit}\n`;
  if (before.includes('\0') || after.includes('\0'))
    return 'diff skipped: the file appears to be binary\n';
  return unified(diff as Texts, settings.diffContextLines, paint);
}

interface Texts {
  readonly before: string;
  readonly after: string;
  readonly beforeHeader?: string;
  readonly afterHeader?: string;
}

function json(value: unknown): string {
  if (typeof value === 'string') return value;
  return `${dumpJson(fromPlain(value), { indent: 4, sortKeys: true, asciiOnly: false })}\n`;
}

function unified(
  { before, after, beforeHeader, afterHeader }: Texts,
  context: number,
  paint: typeof pc,
): string {
  if (before === after) return '';
  const from = beforeHeader === undefined ? 'before' : `before: ${beforeHeader}`;
  const to = afterHeader === undefined ? 'after' : `after: ${afterHeader}`;
  const patch = createTwoFilesPatch(from, to, before, after, '', '', {
    context,
    timeout: SLOWEST_DIFF_MS,
  });
  if (patch === undefined) return 'diff skipped: the texts differ too much to compare in time\n';
  const lines = patch.split('\n').slice(1);
  return `${lines.map((line) => colour(line, paint)).join('\n')}\n`;
}

function colour(line: string, paint: typeof pc): string {
  if (line.startsWith('+')) return paint.green(line);
  if (line.startsWith('-')) return paint.red(line);
  return line.startsWith('@@')
    ? paint.cyan(line.replace(/,1(?= )/g, ''))
    : line.replace(/^(---|\+\+\+) (.*?)\t$/, '$1 $2');
}
