/** Running a user's command in one frame together with the clock's readings before and after it. */
import { type Command, joinCommands, quote, sh } from '../../shared/shell.ts';

/** Starts the record that the script appends to the command's output. */
const RECORD = 'tsprov-run:';
const CLOCK = '+%s.%N %Y-%m-%d %H:%M:%S';

/** What became of a command on the host. */
export interface TimedRun {
  readonly stdout: string;
  /** Local time of the host, as Python prints it. */
  readonly start: string | null;
  readonly end: string | null;
  /** `0:00:00.012345`. */
  readonly delta: string | null;
  /** Why it did not start: an errno, or that the directory cannot be entered. */
  readonly obstacle: number | 'chdir' | undefined;
}

/**
 * A script that enters a directory, runs `words` as a program (never a shell built-in) and ends with its exit code.
 * The program has the locale of the user: `LC_ALL=POSIX` is the connection's own.
 * `parseTimedRun` reads its stdout.
 */
export function timedRun(words: readonly Command[], chdir: Command | undefined): Command {
  const [program = sh`''`] = words;
  // The directory itself, as a program that is started there sees it, not the links that lead to it.
  const enter = sh`cd -P ${chdir ?? sh``} 2>/dev/null || { printf '\n%s||chdir|' ${RECORD}; exit 1; }`;
  return joinCommands(
    [
      ...(chdir === undefined ? [] : [enter]),
      sh`_ts_a=$(date ${CLOCK})
( [ "$LC_ALL" != POSIX ] || unset LC_ALL; exec ${joinCommands(words, ' ')} )
_ts_c=$?; _ts_b=$(date ${CLOCK}); _ts_e=
case $_ts_c in 126|127)
${obstacleOf(program)}
esac
printf '\n%s%s|%s|%s|' ${RECORD} "$_ts_a" "$_ts_b" "$_ts_e"; exit "$_ts_c"`,
    ],
    '\n',
  );
}

/** Tells a program that cannot be started from one that itself ends with 126 or 127. */
function obstacleOf(program: Command): Command {
  return sh`_ts_p=${program}
case $_ts_p in
*/*) if [ ! -e "$_ts_p" ]; then _ts_e=2; elif [ ! -f "$_ts_p" ] || [ ! -x "$_ts_p" ]; then _ts_e=13; fi;;
*) _ts_e=2; IFS=:; for _ts_d in $PATH; do if [ -f "$_ts_d/$_ts_p" ] && [ -x "$_ts_d/$_ts_p" ]; then _ts_e=; fi; done;;
esac`;
}

/** Reads what a `timedRun` script printed. Behind the record stands what a process printed that the program left. */
export function parseTimedRun(output: string): TimedRun {
  const at = output.lastIndexOf(`\n${RECORD}`);
  const [record = '', start = '', end = '', obstacle = ''] =
    /^\n[^:]*:([^|]*)\|([^|]*)\|([^|]*)\|/.exec(at < 0 ? '' : output.slice(at)) ?? [];
  const [from, to] = [parseClock(start), parseClock(end)];
  return {
    stdout: at < 0 ? output : output.slice(0, at) + output.slice(at + record.length),
    start: from?.text ?? null,
    end: to?.text ?? null,
    delta: from && to ? formatDelta(to.microseconds - from.microseconds) : null,
    obstacle: obstacle === 'chdir' ? 'chdir' : obstacle === '' ? undefined : Number(obstacle),
  };
}

interface Moment {
  readonly microseconds: number;
  readonly text: string;
}

/** A busybox `date` may not know `%N`: then the fraction is nought. */
function parseClock(reading: string): Moment | undefined {
  const match = /^(\d+)\.(?:(\d{6})\d*|\D*) (.+)$/.exec(reading);
  if (match === null) return undefined;
  const [, seconds, fraction = '000000', clock] = match;
  return {
    microseconds: Number(seconds) * 1e6 + Number(fraction),
    text: `${clock}${fraction === '000000' ? '' : `.${fraction}`}`,
  };
}

/** A span as Python's `str(timedelta)` prints it. */
export function formatDelta(microseconds: number): string {
  const total = Math.max(0, microseconds);
  const seconds = Math.floor(total / 1e6);
  const days = Math.floor(seconds / 86_400);
  const two = (value: number) => String(value).padStart(2, '0');
  const clock = `${Math.floor((seconds % 86_400) / 3600)}:${two(Math.floor((seconds % 3600) / 60))}:${two(seconds % 60)}`;
  const rest = total % 1e6 === 0 ? '' : `.${String(total % 1e6).padStart(6, '0')}`;
  const prefix = days === 0 ? '' : `${days} day${days === 1 ? '' : 's'}, `;
  return `${prefix}${clock}${rest}`;
}

/** The words of a command as one line that a shell would read back. */
export function joinWords(words: readonly string[]): string {
  return words.map(quote).join(' ');
}
