/** Options that several commands have. */
import { type Command, Option } from 'commander';

export interface CompatibilityFlags {
  readonly compat: 'tsprov' | 'keda';
}

export function addCompatibility(command: Command): Command {
  return command.addOption(
    new Option('--compat <product>', 'whose names are meant: group, labels, annotations')
      .choices(['tsprov', 'keda'])
      .default('tsprov'),
  );
}

/** An option with the forms of output, the first of which is the default. */
export function outputOption(forms: readonly string[]): Option {
  return new Option('-o, --output <form>', 'form of the output')
    .choices(forms)
    .default(forms[0] ?? '');
}
