import { InvalidInput } from '../shared/errors.ts';

/** Options that are malformed or do not go together: the command line itself has to be mended. */
export class OptionError extends InvalidInput {
  constructor(message: string, hint?: string) {
    super([{ message, hint }]);
  }
}

/** A command line that makes no sense whatever the configuration, e.g. for want of the module it names. */
export class UsageError extends OptionError {}
