/** How a run is shown: one file per way. */
import { didYouMean, InvalidInput } from '../../shared/errors.ts';
import { jsonLinesOutput } from './json-lines.ts';
import { linesOutput } from './lines.ts';
import type { Output, OutputOptions } from './output.ts';

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
