import type { Names } from '../names.ts';
import type { AnyTrigger } from '../trigger.ts';
import type { GaugeSets } from './gauge-sets.ts';
import type { ScalerCluster } from './ports.ts';
import type { Recorder } from './recorder.ts';

/** What every controller works with. */
export interface ControllerDependencies {
  readonly cluster: ScalerCluster;
  readonly gauges: GaugeSets;
  readonly triggers: Readonly<Record<string, AnyTrigger>>;
  readonly names: Names;
  readonly recorder: Recorder;
  /** Version of the operator. */
  readonly version: string;
  /** Milliseconds since the epoch, for what people read; jumps when the machine's clock is set. */
  readonly nowMs: () => number;
  /** Milliseconds that never jump, for intervals and cooldowns. */
  readonly steadyMs: () => number;
}
