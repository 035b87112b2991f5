import type { Settings } from '../../engine/config/config-settings.ts';
import type { Emit } from '../../engine/run/events.ts';

export interface OutputOptions {
  readonly settings: Settings;
  readonly verbosity: number;
  readonly diff: boolean;
  readonly profile: boolean;
  readonly check: boolean;
  /** The configuration that was read, for -v. */
  readonly configFile: string | undefined;
  /** Another output has stdout; this one writes files. */
  readonly isBeside?: boolean;
}

/** Listens to a run. `close` writes what has to wait for the end. */
export interface Output {
  readonly emit: Emit;
  close(): Promise<void> | void;
}
