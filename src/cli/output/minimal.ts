/** The outputs of single modules: `host | CHANGED | rc=0 >>` and what the command printed, or the result. */
import { dumpJson } from '../../engine/jinja/json.ts';
import type { ResultInfo, RunEvent, TaskInfo } from '../../engine/run/events.ts';
import type { Dict } from '../../engine/values.ts';
import { diffText } from './diff.ts';
import { Progress } from './footer.ts';
import type { Output, OutputOptions } from './output-port.ts';
import { type Paint, type Palette, palette } from './palette.ts';
import { shownResult } from './result-text.ts';
import { Screen } from './screen.ts';

type Render = (task: TaskInfo, info: ResultInfo, options: OutputOptions) => string;

/** Modules whose output is text: it is printed as it is. */
const TALKERS = new Set(['command', 'shell', 'raw', 'script']);

export function minimalOutput(options: OutputOptions): Output {
  return adHocOutput(options, minimalText);
}

export function oneLineOutput(options: OutputOptions): Output {
  return adHocOutput(options, oneLineText);
}

function adHocOutput(options: OutputOptions, render: Render): Output {
  const paint = palette(options.settings);
  const screen = new Screen({ ...options.settings, warn: paint.warn });
  let progress: Progress | undefined;
  const show = (event: RunEvent) => {
    switch (event.type) {
      case 'task-start': {
        const started = new Progress(event.task, event.hosts);
        progress = started;
        return screen.footer(() => started.text());
      }
      case 'result': {
        progress?.done(event.info.host);
        return screen.write(resultText(event.task, event.info, { options, paint, render }));
      }
      case 'message':
        return screen.write(`${event.text}\n`);
      case 'detail':
        if (event.verbosity > options.verbosity) return undefined;
        return screen.detail(`${paint.verbose(event.text)}\n`);
      case 'no-hosts-matched':
        return screen.warn('No hosts matched, nothing to do');
      case 'warning':
        return screen.warn(event.text);
      case 'recap':
        return screen.footer(undefined);
      default:
        return undefined;
    }
  };
  return { emit: show, close: () => screen.footer(undefined) };
}

interface Way {
  readonly options: OutputOptions;
  readonly paint: Palette;
  readonly render: Render;
}

function resultText(task: TaskInfo, info: ResultInfo, { options, paint, render }: Way): string {
  const diffs = options.diff ? info.diffs.map((diff) => diffText(diff, options, paint.plain)) : [];
  return `${diffs.join('')}${colourOf(info, paint)(render(task, info, options))}\n`;
}

function colourOf({ status }: ResultInfo, paint: Palette): Paint {
  const colours = { ok: paint.ok, changed: paint.changed, skipped: paint.skip };
  if (status === 'failed') return paint.failed;
  return status === 'unreachable' ? paint.unreachable : colours[status];
}

function minimalText(task: TaskInfo, info: ResultInfo, { verbosity }: OutputOptions): string {
  const { host, status, result } = info;
  if (status === 'skipped') return `${host} | SKIPPED`;
  const word = wordOf(info);
  if (status !== 'unreachable' && TALKERS.has(task.module) && result.has('rc'))
    return `${host} | ${word} | rc=${String(result.get('rc'))} >>\n${printed(result, status === 'failed')}`;
  const style = { indent: 4, sortKeys: true, asciiOnly: false };
  const mark = status === 'failed' || status === 'unreachable' ? '!' : '';
  return `${host} | ${word}${mark} => ${dumpJson(withoutNoise(task, result, verbosity), style)}`;
}

function oneLineText(task: TaskInfo, info: ResultInfo, { verbosity }: OutputOptions): string {
  const { host, status, result } = info;
  if (status === 'skipped') return `${host} | SKIPPED`;
  const word = wordOf(info);
  if (status === 'unreachable') return `${host} | ${word}!: ${textOf(result, 'msg')}`;
  if (TALKERS.has(task.module) && result.has('rc')) {
    const flat = (name: string) => textOf(result, name).replaceAll('\n', '\\n');
    const errors = textOf(result, 'stderr') === '' ? '' : ` (stderr) ${flat('stderr')}`;
    return `${host} | ${word} | rc=${String(result.get('rc'))} | (stdout) ${flat('stdout')}${errors}`;
  }
  const json = dumpJson(withoutNoise(task, result, verbosity), {
    sortKeys: true,
    asciiOnly: false,
  });
  return `${host} | ${word}${status === 'failed' ? '!' : ''} => ${json}`;
}

function wordOf({ status, unknown }: ResultInfo): string {
  if (unknown !== undefined) return `UNKNOWN (depends on: ${unknown})`;
  const words = { ok: 'SUCCESS', changed: 'CHANGED', failed: 'FAILED', unreachable: 'UNREACHABLE' };
  return status === 'skipped' ? 'SKIPPED' : words[status];
}

/** What a command wrote, its errors after it, and where it failed why. */
function printed(result: Dict, isFailed: boolean): string {
  const parts = ['stdout', 'stderr', ...(isFailed ? ['msg'] : [])];
  const texts = parts.map((name) => textOf(result, name).replace(/\n$/, ''));
  return texts.filter((text) => text !== '').join('\n');
}

function withoutNoise({ module }: TaskInfo, result: Dict, verbosity: number): Dict {
  const shown = shownResult(result, verbosity);
  return module === 'debug' ? new Map([...shown].filter(([name]) => name !== 'changed')) : shown;
}

function textOf(result: Dict, name: string): string {
  const value = result.get(name);
  return typeof value === 'string' ? value : '';
}
