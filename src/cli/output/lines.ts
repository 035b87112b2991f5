/** The familiar output: PLAY, TASK, a line per host, RECAP. */
import { basename, resolve } from 'node:path';
import type { ResultInfo, RunEvent, TaskInfo } from '../../engine/run/events.ts';
import { reasonOf } from '../../engine/run/outcome.ts';
import type { Dict, Value } from '../../engine/values.ts';
import { configurationLine } from './configuration-line.ts';
import { diffText } from './diff.ts';
import { failureNote } from './failure-note.ts';
import { Progress } from './footer.ts';
import { LateBanners } from './late-banners.ts';
import type { Output, OutputOptions } from './output-port.ts';
import { type Paint, type Palette, palette } from './palette.ts';
import { Profile } from './profile.ts';
import { recapLines } from './recap.ts';
import { resultLine } from './result-line.ts';
import { resultStyle, resultText } from './result-text.ts';
import { Screen } from './screen.ts';

type Of<T extends RunEvent['type']> = Extract<RunEvent, { type: T }>;

export function linesOutput(options: OutputOptions): Output {
  const paint = palette(options.settings);
  const lines = new Lines(options, paint, new Screen({ ...options.settings, warn: paint.warn }));
  return { emit: (event) => lines.show(event), close: () => lines.close() };
}

const INCLUDES = new Set(['include_tasks', 'include_role']);
const LEAST_COLUMNS = 79;

class Lines {
  readonly #options: OutputOptions;
  readonly #screen: Screen;
  readonly #paint: Palette;
  readonly #profile = new Profile();
  readonly #notes = new Set<string>();
  /** Banner of the task that has shown no line yet. */
  #pending: (() => void) | undefined;
  #late = new LateBanners();
  #progress: Progress | undefined;
  #hasBegun = false;

  constructor(options: OutputOptions, paint: Palette, screen: Screen) {
    this.#options = options;
    this.#screen = screen;
    this.#paint = paint;
  }

  close(): void {
    this.#screen.footer(undefined);
  }

  show(event: RunEvent): void {
    switch (event.type) {
      case 'playbook-start':
        this.#playbookStart(event);
        break;
      case 'play-start':
        this.#late = new LateBanners();
        this.#banner(`${event.name === '' ? 'PLAY' : `PLAY [${event.name}]`}${this.#mark(event)}`);
        break;
      case 'no-hosts-matched':
        this.#line('skipping: no hosts matched', this.#paint.skip);
        break;
      case 'no-hosts-left':
        this.#banner('NO MORE HOSTS LEFT');
        break;
      case 'task-start':
        this.#taskStart(event);
        break;
      case 'item':
        this.#result(event.task, event.info, false);
        break;
      case 'result':
        this.#final(event);
        break;
      case 'retry':
        this.#retry(event);
        break;
      case 'included':
        this.#included(event);
        break;
      case 'detail':
        if (event.verbosity <= this.#options.verbosity) this.#line(event.text, this.#paint.verbose);
        break;
      case 'message':
        this.#line(event.text);
        break;
      case 'warning':
        this.#screen.warn(event.text);
        break;
      case 'recap':
        this.#recap(event);
        break;
    }
  }

  #line(text: string, paint: Paint = (same) => same): void {
    this.#begin();
    this.#screen.write(`${paint(text)}\n`);
  }

  /** Shows the banner of the task that has shown nothing yet. */
  #begin(): void {
    this.#pending?.();
    this.#pending = undefined;
  }

  #detail(verbosity: number, text: string): void {
    if (verbosity > this.#options.verbosity) return;
    this.#begin();
    this.#screen.detail(`${this.#paint.verbose(text)}\n`);
  }

  #banner(text: string): void {
    const columns = Math.max(LEAST_COLUMNS, this.#screen.columns - 1);
    this.#screen.write(`\n${text} ${'*'.repeat(Math.max(3, columns - text.length))}\n`);
  }

  #mark({ checkMode }: { readonly checkMode: boolean }): string {
    return this.#options.settings.checkModeMarkers && checkMode ? ' [CHECK MODE]' : '';
  }

  #playbookStart({ file, plays }: Of<'playbook-start'>): void {
    const { verbosity, configFile } = this.#options;
    if (!this.#hasBegun) this.#detail(1, configurationLine(configFile));
    this.#hasBegun = true;
    if (verbosity >= 2) this.#banner(`PLAYBOOK: ${basename(file)}`);
    this.#detail(2, `${plays} plays in ${file}`);
    this.#dryRun();
  }

  #dryRun(): void {
    if (this.#options.settings.checkModeMarkers && this.#options.check) this.#banner('DRY RUN');
  }

  #taskStart({ task, hosts, isAlone }: Of<'task-start'>): void {
    const { settings, verbosity } = this.#options;
    this.#profile.start(task);
    const progress = new Progress(task, hosts);
    this.#progress = progress;
    this.#screen.footer(() => progress.text());
    const begin = () => {
      this.#banner(
        `${task.handler ? 'RUNNING HANDLER' : 'TASK'} [${task.title}]${this.#mark(task)}`,
      );
      if (verbosity >= 2) this.#screen.write(this.#paint.debug(pathOf(task)));
      if (!settings.showPerHostStart) return;
      for (const host of hosts) this.#screen.write(` [started TASK: ${task.title} on ${host}]\n`);
    };
    if (isAlone) this.#late.keep(task, begin);
    // Where some results are hidden, a task with nothing to show has no banner either.
    else if (settings.displayOkHosts && settings.displaySkippedHosts) begin();
    else this.#pending = begin;
  }

  #final({ task, info, looped }: Of<'result'>): void {
    this.#progress?.done(info.host);
    if (looped && info.status !== 'skipped' && info.status !== 'unreachable') {
      if (info.status === 'failed' && task.module === 'debug') this.#loopFailed(task, info);
      if (info.ignored) this.#line('...ignoring', this.#paint.skip);
      return;
    }
    this.#result(task, looped ? withoutResults(info) : info, true);
  }

  /** Of all loops, those of debug have a line of their own when they fail, as with Ansible. */
  #loopFailed(task: TaskInfo, info: ResultInfo): void {
    const whole = withoutResults(info);
    this.#line(
      resultLine(task, whole, { options: this.#options, paint: this.#paint, isWhole: true }),
    );
  }

  #result(task: TaskInfo, info: ResultInfo, isWhole: boolean): void {
    const { settings, diff } = this.#options;
    const isFault = info.status === 'failed' || info.status === 'unreachable';
    const isHidden =
      info.status === 'skipped'
        ? !settings.displaySkippedHosts
        : info.status === 'ok' && !settings.displayOkHosts;
    if (isHidden) return;
    this.#late.introduce(task);
    // What an include brings in has a line of its own.
    if (INCLUDES.has(task.module) && !isFault && info.status !== 'skipped') return;
    for (const text of textsOf(info.result.get('warnings'))) this.#screen.warn(text);
    this.#diffs(diff ? info.diffs : []);
    if (isFault) this.#note(task, info);
    this.#line(resultLine(task, info, { options: this.#options, paint: this.#paint, isWhole }));
    if (info.ignored) this.#line('...ignoring', this.#paint.skip);
  }

  #diffs(diffs: ResultInfo['diffs']): void {
    for (const diff of diffs) {
      const text = diffText(diff, this.#options, this.#paint.plain);
      if (text !== '') this.#line(text.replace(/\n$/, ''));
    }
  }

  /** Where the failed task is written: told once, however many hosts fail. */
  #note(task: TaskInfo, { result, ran }: ResultInfo): void {
    const { settings, verbosity } = this.#options;
    const prefix = ran === undefined ? '' : `${ran} failed: `;
    const note = failureNote(prefix + reasonOf(result), task.position, !result.has('censored'));
    if (!this.#notes.has(note)) this.#line(note.replace(/\n$/, ''), this.#paint.failed);
    this.#notes.add(note);
    this.#stack(result);
    if (settings.showTaskPathOnFailure && verbosity < 2)
      this.#screen.write(this.#paint.failed(pathOf(task)));
  }

  /** Where something threw that nobody foresaw. */
  #stack(result: Dict): void {
    const stack = result.get('exception');
    if (typeof stack === 'string' && stack !== '') this.#detail(3, stack);
  }

  #retry({ host, task, left, result }: Of<'retry'>): void {
    this.#late.introduce(task);
    const text = `FAILED - RETRYING: [${host}]: ${task.title} (${left} retries left).`;
    const { verbosity, settings } = this.#options;
    const style = resultStyle(settings, { verbosity, indented: true });
    const shown = verbosity >= 3 ? `Result was: ${resultText(result, style)}` : '';
    this.#line(`${text}${shown}`, this.#paint.debug);
  }

  #included({ what, hosts, label }: Of<'included'>): void {
    const item = label === undefined ? '' : ` => (item=${label})`;
    this.#line(`included: ${what} for ${hosts.join(', ')}${item}`, this.#paint.skip);
  }

  #recap({ stats, durationMs, frames }: Of<'recap'>): void {
    this.#screen.footer(undefined);
    this.#pending = undefined;
    this.#banner('PLAY RECAP');
    for (const line of recapLines(stats, this.#paint)) this.#line(line);
    this.#line('');
    this.#dryRun();
    for (const [host, count] of frames) this.#detail(3, `round trips: ${host} ${count}`);
    if (!this.#options.profile) return;
    for (const line of this.#profile.lines(durationMs)) this.#line(line);
  }
}

function pathOf({ position }: TaskInfo): string {
  return `task path: ${resolve(position.file)}:${position.line}\n`;
}

/** A loop's own line: those of its items have been shown. */
function withoutResults(info: ResultInfo): ResultInfo {
  return { ...info, result: new Map([...info.result].filter(([name]) => name !== 'results')) };
}

function textsOf(value: Value | undefined): string[] {
  return Array.isArray(value) ? value.map(String) : [];
}
