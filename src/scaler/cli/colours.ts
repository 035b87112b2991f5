import pc from 'picocolors';

/** Colours for standard error: where it is a terminal, unless NO_COLOR is set, or always with FORCE_COLOR. */
export function colours(): ReturnType<typeof pc.createColors> {
  const { NO_COLOR, FORCE_COLOR } = process.env;
  const isForced = FORCE_COLOR !== undefined && FORCE_COLOR !== '' && FORCE_COLOR !== '0';
  return pc.createColors(isForced || (!NO_COLOR && process.stderr.isTTY === true));
}
