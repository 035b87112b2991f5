/** One script on the wire: the text that is sent for it, and its answer as it comes back. */
import { randomBytes } from 'node:crypto';
import type { Output } from './connection.ts';
import { closeMarker, exitMarker, type Lane, openMarker } from './lane.ts';

export type StreamName = 'stdout' | 'stderr';

/** The two streams of a shell. */
export type Lanes = Readonly<Record<StreamName, Lane>>;

/** A script's answer. */
export interface Unit {
  readonly nonce: string;
  readonly stdout: Buffer[];
  readonly stderr: Buffer[];
  begun: boolean;
  /** Streams on which the script's own end is still to come. */
  readonly running: Set<StreamName>;
  /** Streams that are not closed yet: a process that the script left behind may print. */
  readonly open: Set<StreamName>;
  code: number;
}

/** A unit that nothing has been heard of. */
export function newUnit(): Unit {
  return {
    nonce: randomBytes(16).toString('hex'),
    stdout: [],
    stderr: [],
    begun: false,
    running: new Set(['stdout', 'stderr']),
    open: new Set(['stdout', 'stderr']),
    code: 0,
  };
}

/** What the script left behind. */
export function outputOf(unit: Unit): Output {
  return {
    code: unit.code,
    stdout: Buffer.concat(unit.stdout),
    stderr: Buffer.concat(unit.stderr),
  };
}

/** Keeps a piece of output. */
export function keep(unit: Unit, stream: StreamName, chunk: Buffer): void {
  unit[stream].push(chunk);
}

/** Has the lanes read a unit: `onData` for every piece of output, `onChange` at its beginning and end. */
export function expectUnit(
  lanes: Lanes,
  unit: Unit,
  onData: (stream: StreamName, chunk: Buffer) => void,
  onChange: () => void,
): void {
  for (const stream of ['stdout', 'stderr'] as const) {
    lanes[stream].expect({
      nonce: unit.nonce,
      begin: () => {
        unit.begun = true;
        onChange();
      },
      data: (chunk) => onData(stream, chunk),
      exit: (code) => {
        if (stream === 'stdout') unit.code = code;
        unit.running.delete(stream);
        onChange();
      },
      end: () => {
        unit.open.delete(stream);
        onChange();
      },
    });
  }
}

/** One compound command: the shell reads it whole before it runs any of it, so half a frame never runs. */
export function renderFrame(parts: readonly string[]): string {
  return `{\n${parts.join('\n')}\n}\n`;
}

/**
 * A script between its markers, as an argument of `eval` in a subshell: whatever it says stays in there.
 * The space keeps a script that begins with a dash from being an option of `eval`.
 */
export function renderUnit(
  script: string,
  nonce: string,
  stdin: 'closed' | 'channel' = 'closed',
): string {
  return `${runBetweenMarkers(script, nonce, stdin)}\n${closing(nonce)}`;
}

/**
 * A script with pipes of its own for its output, which are closed when nothing holds them any more: a process that
 * it leaves behind can write there and nowhere else.
 */
export function renderApart(script: string, nonce: string): string {
  return (
    `{ { { ${runBetweenMarkers(script, nonce, 'closed')}\n` +
    '} 2>&1 >&3 3>&- 4>&- | cat >&4 3>&- 4>&-; } 3>&1 | cat 4>&-; } 4>&2\n' +
    closing(nonce)
  );
}

function runBetweenMarkers(script: string, nonce: string, stdin: 'closed' | 'channel'): string {
  const open = `printf '\\036%s' '${openMarker(nonce)}'`;
  const exit = exitMarker(nonce);
  const body = `' ${script.replaceAll("'", `'\\''`)}'`;
  return (
    `${open}; ${open} >&2; (eval ${body})${stdin === 'closed' ? ' </dev/null' : ''}\n` +
    `printf '\\036%s%d\\036' '${exit}' $?; printf '\\036%s0\\036' '${exit}' >&2`
  );
}

function closing(nonce: string): string {
  const close = `printf '\\036%s\\036' '${closeMarker(nonce)}'`;
  return `${close}; ${close} >&2`;
}

/** The process id of the shell, as the output of a unit of its own. */
export function renderPid(nonce: string): string {
  const marks = `'${openMarker(nonce)}' $$ '${exitMarker(nonce)}' '${closeMarker(nonce)}'`;
  const pid = `printf '\\036%s%d\\036%s0\\036\\036%s\\036' ${marks}`;
  return `${pid}; ${pid} >&2`;
}
