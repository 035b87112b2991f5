/** The line that one result makes: `ok: [host]`, `fatal: [host]: FAILED! => {…}`. */
import type { ResultInfo, TaskInfo } from '../../engine/run/events.ts';
import type { Dict } from '../../engine/values.ts';
import type { OutputOptions } from './output-port.ts';
import type { Paint, Palette } from './palette.ts';
import { resultStyle, resultText } from './result-text.ts';

interface Looks {
  readonly word: string;
  readonly paint: Paint;
  readonly isFault: boolean;
}

/** Modules whose results are too long for the eyes. */
const FACTS = new Set(['setup']);

/** The line, coloured. `isWhole` is false for an item of a loop. */
export function resultLine(
  task: TaskInfo,
  info: ResultInfo,
  { options, paint, isWhole }: { options: OutputOptions; paint: Palette; isWhole: boolean },
): string {
  const looks = looksOf(info, isWhole, paint);
  const isElsewhere = info.delegate !== undefined && info.status !== 'skipped';
  const host = isElsewhere ? `${info.host} -> ${info.delegate}` : info.host;
  const fault = looks.isFault && isWhole ? faultWord(info) : '';
  const unknown = info.unknown === undefined ? '' : ` (depends on: ${info.unknown})`;
  const text = `${looks.word}: [${host}]${fault}${itemText(info, looks)}${unknown}`;
  return looks.paint(`${text}${dump(task, info, looks, options)}`);
}

function faultWord({ status }: ResultInfo): string {
  return status === 'unreachable' ? ': UNREACHABLE!' : ': FAILED!';
}

function itemText({ label, status }: ResultInfo, { isFault }: Looks): string {
  if (label === undefined) return '';
  if (isFault) return ` (item=${label})`;
  return ` => (item=${label})${status === 'skipped' ? ' ' : ''}`;
}

function looksOf(info: ResultInfo, isWhole: boolean, paint: Palette): Looks {
  const fault = { word: isWhole ? 'fatal' : 'failed', isFault: true };
  if (info.unknown !== undefined) return { word: 'unknown', paint: paint.changed, isFault: false };
  switch (info.status) {
    case 'ok':
      return { word: 'ok', paint: paint.ok, isFault: false };
    case 'changed':
      return { word: 'changed', paint: paint.changed, isFault: false };
    case 'skipped':
      return { word: 'skipping', paint: paint.skip, isFault: false };
    case 'unreachable':
      return { ...fault, paint: paint.unreachable };
    default:
      return { ...fault, paint: paint.failed };
  }
}

/** The result itself: for faults and talkative modules always, else with -v. */
function dump(
  task: TaskInfo,
  info: ResultInfo,
  { isFault }: Looks,
  options: OutputOptions,
): string {
  const { verbosity, settings } = options;
  const talks = info.alwaysVerbose && info.status !== 'skipped';
  if (FACTS.has(task.module) && !isFault) return '';
  if (!isFault && !talks && verbosity < 1) return '';
  // What the module itself had to say is shown at length, other failures on one line.
  const spoke = info.result.has('assertion') || info.result.has('failed_when_result');
  const indented = (talks && (!isFault || spoke)) || verbosity >= 3;
  const result = task.module === 'debug' ? messageOf(info.result) : info.result;
  return ` => ${resultText(result, resultStyle(settings, { verbosity, indented }))}`;
}

const NOT_OF_DEBUG = ['changed', 'failed_when_result', 'skip_reason', 'invocation'];

/** What debug prints is the message alone, or the variable with the item of the loop. */
function messageOf(result: Dict): Dict {
  if (result.has('results')) return result;
  const loopVariable = result.get('ansible_loop_var');
  const index = result.get('ansible_index_var');
  const item = result.has('msg') ? ['item', loopVariable, index] : [];
  const beside = new Set<unknown>([...NOT_OF_DEBUG, ...item]);
  return new Map(
    [...result].filter(([name]) => !beside.has(name) && !/^ansible_(loop|index)/.test(name)),
  );
}
