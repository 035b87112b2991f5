/** How a run is shown: one file per way. */
import type { Settings } from '../../engine/config/config-settings.ts';
import type { Emit } from '../../engine/run/events.ts';
import { didYouMean } from '../../shared/errors.ts';
import { table } from '../../shared/table.ts';
import { OptionError } from '../option-error.ts';
import { jsonOutput } from './json.ts';
import { jsonLinesOutput } from './json-lines.ts';
import { junitOutput } from './junit.ts';
import { linesOutput } from './lines.ts';
import { minimalOutput, oneLineOutput } from './minimal.ts';
import type { Output, OutputOptions } from './output-port.ts';
import { sturdyOutput } from './sturdy.ts';

type Open = (options: OutputOptions) => Output;

const OUTPUTS: Readonly<Record<string, Open>> = table({
  lines: linesOutput,
  json: jsonOutput,
  jsonl: jsonLinesOutput,
  junit: junitOutput,
  minimal: minimalOutput,
  oneline: oneLineOutput,
});

export const OUTPUT_NAMES = Object.keys(OUTPUTS);

/** Ansible's callbacks that have a counterpart here, without the name of their collection. */
const CALLBACKS: ReadonlyMap<string, string> = new Map([
  ['default', 'lines'],
  ['yaml', 'lines'],
]);

/** What may be shown beside an output. */
const BESIDE = ['junit', 'profile_tasks'];

/**
 * The output of a name, or the one that `stdout_callback` names. `callbacks_enabled` may add junit and
 * profile_tasks. Throws OptionError for a name that does not exist.
 */
export function openOutput(name: string | undefined, options: OutputOptions): Output {
  const { settings } = options;
  const enabled = settings.callbacksEnabled.map(shortName);
  const isYaml = shortName(settings.stdoutCallback) === 'yaml';
  const wanted: OutputOptions = {
    ...options,
    profile: options.profile || enabled.includes('profile_tasks'),
    ...(isYaml && { settings: { ...settings, callbackResultFormat: 'yaml' } }),
  };
  const shownName = name ?? configured(settings);
  const shown = required(shownName);
  const main = sturdyOutput(shownName, shown(wanted));
  if (!enabled.includes('junit') || shown === junitOutput) return main;
  return both(main, sturdyOutput('junit', junitOutput({ ...wanted, isBeside: true })));
}

/** Warnings of callbacks that the configuration names and that have no counterpart here. */
export function missingCallbacks({ stdoutCallback, callbacksEnabled }: Settings): string[] {
  const stdout = CALLBACKS.get(shortName(stdoutCallback)) ?? shortName(stdoutCallback);
  const beside = callbacksEnabled.filter((name) => !BESIDE.includes(shortName(name)));
  return [
    ...(Object.hasOwn(OUTPUTS, stdout)
      ? []
      : [
          `stdout_callback: there is no callback "${stdoutCallback}", the lines of default are shown`,
        ]),
    ...beside.map(
      (name) => `callbacks_enabled: there is no callback "${name}" (${BESIDE.join(' and ')} are)`,
    ),
  ];
}

function required(name: string): Open {
  const open = Object.hasOwn(OUTPUTS, name) ? OUTPUTS[name] : undefined;
  if (open !== undefined) return open;
  const hint = didYouMean(name, OUTPUT_NAMES) ?? `known: ${OUTPUT_NAMES.join(', ')}`;
  throw new OptionError(`there is no output "${name}"`, hint);
}

/** A callback that is not known here is no reason to refuse: the familiar lines are shown. */
function configured({ stdoutCallback }: Settings): string {
  const short = shortName(stdoutCallback);
  const name = CALLBACKS.get(short) ?? short;
  return Object.hasOwn(OUTPUTS, name) ? name : 'lines';
}

function shortName(callback: string): string {
  return callback.split('.').at(-1) ?? callback;
}

function both(one: Output, other: Output): Output {
  const emit: Emit = (event) => {
    one.emit(event);
    other.emit(event);
  };
  return {
    emit,
    close: async () => {
      await one.close();
      await other.close();
    },
  };
}
