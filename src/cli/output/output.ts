/** How a run is shown: one file per way. */
import type { Settings } from '../../engine/config/config-settings.ts';
import type { Emit } from '../../engine/run/events.ts';
import { didYouMean, InvalidInput } from '../../shared/errors.ts';
import { jsonLinesOutput } from './json-lines.ts';
import { linesOutput } from './lines.ts';

export interface OutputOptions {
  readonly settings: Settings;
  readonly verbosity: number;
  readonly diff: boolean;
  readonly profile: boolean;
}

/** Listens to a run. `close` writes what has to wait for the end. */
export interface Output {
  readonly emit: Emit;
  close(): Promise<void> | void;
}

const OUTPUTS: Readonly<Record<string, (options: OutputOptions) => Output>> = {
  lines: linesOutput,
  jsonl: jsonLinesOutput,
};

export const OUTPUT_NAMES = Object.keys(OUTPUTS);

/** The output of a name. Throws InvalidInput for one that does not exist. */
export function openOutput(name: string, options: OutputOptions): Output {
  const open = Object.hasOwn(OUTPUTS, name) ? OUTPUTS[name] : undefined;
  if (open === undefined) {
    throw InvalidInput.at(
      undefined,
      `there is no output "${name}"`,
      didYouMean(name, OUTPUT_NAMES) ?? `known: ${OUTPUT_NAMES.join(', ')}`,
    );
  }
  return open(options);
}
