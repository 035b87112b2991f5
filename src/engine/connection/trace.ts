/** Tells how a connection comes about, to those who ask with `-vvv` and more. */
import { userInfo } from 'node:os';
import { quote } from '../../shared/shell.ts';
import type { ConnectionSettings, Trace } from './connection.ts';

/** How much is asked for before what libraries and commands say of their own is told. */
const DEBUG_VERBOSITY = 4;

/** Who is about to be reached, and how. */
export function traceConnection({ name, transport, user, trace }: ConnectionSettings): void {
  const way = transport === 'local' ? 'LOCAL' : 'SSH';
  const login = user ?? userInfo().username;
  trace?.tell(3, `<${name}> ESTABLISH ${way} CONNECTION FOR USER: ${login}`);
}

/** The command that reaches a host. */
export function traceCommand({ name, trace }: ConnectionSettings, words: readonly string[]): void {
  trace?.tell(3, `<${name}> SSH: EXEC ${words.map(quote).join(' ')}`);
}

/** Hears what the implementation of SSH says; undefined where nobody wants to know. */
export function debugTrace(
  name: string,
  trace: Trace | undefined,
): ((text: string) => void) | undefined {
  if (trace === undefined || trace.verbosity < DEBUG_VERBOSITY) return undefined;
  return (text) => trace.tell(DEBUG_VERBOSITY, `<${name}> ${text}`);
}
