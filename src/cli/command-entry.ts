import type { Command } from 'commander';

/** A command as the list of commands has it. */
export interface CommandEntry {
  readonly summary: string;
  /** Whether it works on hosts: then Ctrl-C ends what runs there first. */
  readonly contactsHosts?: boolean;
  /** Whether it waits for programs of the user, such as inventory scripts, which have to end with it. */
  readonly runsPrograms?: boolean;
  /** Loads the command; `signal` says that the person wants to stop. */
  readonly make: (signal: AbortSignal) => Promise<Command>;
}

/** A command with its arguments and options. */
export async function fullCommand(
  name: string,
  { make, summary }: CommandEntry,
  signal: AbortSignal,
): Promise<Command> {
  return (await make(signal)).name(name).summary(summary);
}
