/** The familiar output: PLAY, TASK, a line per host, RECAP. */
import pc from 'picocolors';
import type { HostStats, ResultInfo, RunEvent, TaskInfo } from '../../engine/run/events.ts';
import { diffText } from './diff.ts';
import type { Output, OutputOptions } from './output.ts';
import { profileLines } from './profile.ts';
import { resultText } from './result-text.ts';

type Paint = (text: string) => string;
type Of<T extends RunEvent['type']> = Extract<RunEvent, { type: T }>;

export function linesOutput(options: OutputOptions): Output {
  const lines = new Lines(options, (text) => process.stdout.write(text));
  return { emit: (event) => lines.show(event), close: () => undefined };
}

const NARROW = 79;

class Lines {
  readonly #options: OutputOptions;
  readonly #write: (text: string) => void;
  readonly #paint: Palette;
  readonly #spent = new Map<string, number>();
  #task: TaskInfo | undefined;
  #started = performance.now();

  constructor(options: OutputOptions, write: (text: string) => void) {
    this.#options = options;
    this.#write = write;
    this.#paint = palette(options);
  }

  show(event: RunEvent): void {
    switch (event.type) {
      case 'play-start':
        return this.#banner(event.name === '' ? 'PLAY' : `PLAY [${event.name}]`);
      case 'no-hosts-matched':
        return this.#line('skipping: no hosts matched', this.#paint.skip);
      case 'no-hosts-left':
        return this.#banner('NO MORE HOSTS LEFT');
      case 'task-start':
        return this.#taskStart(event);
      case 'item':
        return this.#result(event.task, event.info, false);
      case 'result':
        return this.#final(event);
      case 'retry':
        return this.#line(
          `FAILED - RETRYING: [${event.host}]: ${event.task.title} (${event.left} retries left).`,
          this.#paint.debug,
        );
      case 'included':
        return this.#included(event);
      case 'message':
        return this.#line(event.text);
      case 'warning':
        process.stderr.write(`${this.#paint.warn(`[WARNING]: ${event.text}`)}\n`);
        return undefined;
      case 'recap':
        return this.#recap(event);
      default:
        return undefined;
    }
  }

  #line(text: string, paint: Paint = (same) => same): void {
    this.#write(`${paint(text)}\n`);
  }

  #banner(text: string): void {
    const columns = process.stdout.isTTY ? process.stdout.columns - 1 : NARROW;
    const stars = Math.max(3, Math.max(NARROW, columns) - text.length - 1);
    this.#line(`\n${text} ${'*'.repeat(stars)}`);
  }

  #taskStart({ task }: Of<'task-start'>): void {
    this.#endTask();
    this.#task = task;
    this.#started = performance.now();
    const mark = this.#options.settings.checkModeMarkers && task.checkMode ? ' [CHECK MODE]' : '';
    this.#banner(`${task.handler ? 'RUNNING HANDLER' : 'TASK'} [${task.title}]${mark}`);
    if (this.#options.verbosity >= 2) {
      this.#line(`task path: ${task.position.file}:${task.position.line}`, this.#paint.debug);
    }
  }

  #endTask(): void {
    if (this.#task === undefined) return;
    const spent = this.#spent.get(this.#task.title) ?? 0;
    this.#spent.set(this.#task.title, spent + performance.now() - this.#started);
  }

  #final({ task, info, looped }: Of<'result'>): void {
    if (/^include_(tasks|role)$/.test(task.module) && info.status === 'ok') return;
    if (looped && info.status !== 'skipped' && info.status !== 'unreachable') {
      if (info.ignored) this.#line('...ignoring', this.#paint.skip);
      return;
    }
    this.#result(task, info, true);
  }

  #result(task: TaskInfo, info: ResultInfo, isWhole: boolean): void {
    const { settings } = this.#options;
    if (info.status === 'skipped' && !settings.displaySkippedHosts) return;
    if (info.status === 'ok' && !settings.displayOkHosts) return;
    if (this.#options.diff)
      for (const diff of info.diffs) this.#write(diffText(diff, this.#options, this.#paint.plain));
    const { word, paint, isFault } = this.#looks(info, isWhole);
    const host = info.delegate === undefined ? info.host : `${info.host} -> ${info.delegate}`;
    const item = info.label === undefined ? '' : `${isFault ? ' ' : ' => '}(item=${info.label})`;
    const unknown = info.unknown === undefined ? '' : ` (depends on: ${info.unknown})`;
    this.#line(
      `${word}: [${host}]${isFault && isWhole ? this.#faultWord(info) : ''}${item}${unknown}${this.#dump(task, info, isFault)}`,
      paint,
    );
    if (info.ignored) this.#line('...ignoring', this.#paint.skip);
  }

  #faultWord({ status }: ResultInfo): string {
    return status === 'unreachable' ? ': UNREACHABLE!' : ': FAILED!';
  }

  #looks(info: ResultInfo, isWhole: boolean): { word: string; paint: Paint; isFault: boolean } {
    if (info.unknown !== undefined)
      return { word: 'unknown', paint: this.#paint.changed, isFault: false };
    switch (info.status) {
      case 'ok':
        return { word: 'ok', paint: this.#paint.ok, isFault: false };
      case 'changed':
        return { word: 'changed', paint: this.#paint.changed, isFault: false };
      case 'skipped':
        return { word: 'skipping', paint: this.#paint.skip, isFault: false };
      case 'unreachable':
        return {
          word: isWhole ? 'fatal' : 'failed',
          paint: this.#paint.unreachable,
          isFault: true,
        };
      default:
        return { word: isWhole ? 'fatal' : 'failed', paint: this.#paint.failed, isFault: true };
    }
  }

  /** The result itself: for faults and talkative modules always, else with -v. */
  #dump({ module }: TaskInfo, info: ResultInfo, isFault: boolean): string {
    const { status, alwaysVerbose } = info;
    const { verbosity } = this.#options;
    const talks = alwaysVerbose && status !== 'skipped';
    if (!isFault && !talks && verbosity < 1) return '';
    const indented = (talks && !isFault) || verbosity >= 3 || (talks && isFault);
    // What debug prints is the message alone.
    const isBare = module === 'debug' && !info.result.has('results');
    const result = isBare
      ? new Map([...info.result].filter(([name]) => name !== 'changed'))
      : info.result;
    return ` => ${resultText(result, { verbosity, indented })}`;
  }

  #included({ what, hosts, label }: Of<'included'>): void {
    const item = label === undefined ? '' : ` => (item=${label})`;
    this.#line(`included: ${what} for ${hosts.join(', ')}${item}`, this.#paint.skip);
  }

  #recap({ stats, durationMs }: Of<'recap'>): void {
    this.#endTask();
    this.#banner('PLAY RECAP');
    for (const host of [...stats.keys()].sort()) {
      const counts = stats.get(host);
      if (counts !== undefined) this.#line(this.#recapLine(host, counts));
    }
    this.#line('');
    if (this.#options.profile)
      for (const line of profileLines(this.#spent, durationMs)) this.#line(line);
  }

  #recapLine(host: string, stats: HostStats): string {
    const { paint, cells } = { paint: this.#paint, cells: stats };
    const isBad = cells.failed > 0 || cells.unreachable > 0;
    const name = isBad ? paint.failed : cells.changed > 0 ? paint.changed : paint.ok;
    const cell = (label: keyof HostStats, colour: Paint) => {
      const text = `${label}=${String(cells[label]).padEnd(4)}`;
      return cells[label] === 0 ? text : colour(text);
    };
    const counts = [
      cell('ok', paint.ok),
      cell('changed', paint.changed),
      cell('unreachable', paint.unreachable),
      cell('failed', paint.failed),
      cell('skipped', paint.skip),
      cell('rescued', paint.ok),
      cell('ignored', paint.warn),
    ];
    return `${name(host.padEnd(26))} : ${counts.join(' ')}`;
  }
}

interface Palette {
  readonly plain: typeof pc;
  readonly ok: Paint;
  readonly changed: Paint;
  readonly skip: Paint;
  readonly failed: Paint;
  readonly unreachable: Paint;
  readonly warn: Paint;
  readonly debug: Paint;
}

/** Colours that obey NO_COLOR, FORCE_COLOR, the configuration and terminals. */
function palette({ settings }: OutputOptions): Palette {
  const isForced = settings.forceColor || isSet(process.env['FORCE_COLOR']);
  const isOff = settings.nocolor || isSet(process.env['NO_COLOR']);
  const plain = pc.createColors(isForced || (!isOff && process.stdout.isTTY === true));
  return {
    plain: plain as typeof pc, // createColors gives the same shape.
    ok: plain.green,
    changed: plain.yellow,
    skip: plain.cyan,
    failed: plain.red,
    unreachable: plain.redBright,
    warn: plain.magentaBright,
    debug: plain.gray,
  };
}

function isSet(value: string | undefined): boolean {
  return value !== undefined && value !== '' && value !== '0';
}
