import pc from 'picocolors';
import type { Settings } from '../../engine/config/config-settings.ts';

export type Paint = (text: string) => string;

/** Ansible's colours by what they say. */
export interface Palette {
  readonly plain: typeof pc;
  readonly ok: Paint;
  readonly changed: Paint;
  readonly skip: Paint;
  readonly failed: Paint;
  readonly unreachable: Paint;
  readonly warn: Paint;
  readonly verbose: Paint;
  readonly debug: Paint;
}

/** Colours that obey NO_COLOR, FORCE_COLOR, the configuration and terminals. */
export function palette(
  { forceColor, nocolor }: Pick<Settings, 'forceColor' | 'nocolor'>,
  isTerminal = process.stdout.isTTY === true,
): Palette {
  const isForced = forceColor || isSet(process.env['FORCE_COLOR']);
  const isOff = nocolor || isSet(process.env['NO_COLOR']);
  const plain = pc.createColors(isForced || (!isOff && isTerminal));
  return {
    plain: plain as typeof pc, // createColors gives the same shape.
    ok: plain.green,
    changed: plain.yellow,
    skip: plain.cyan,
    failed: plain.red,
    unreachable: plain.redBright,
    warn: plain.magentaBright,
    verbose: plain.blue,
    debug: plain.gray,
  };
}

function isSet(value: string | undefined): boolean {
  return value !== undefined && value !== '' && value !== '0';
}
