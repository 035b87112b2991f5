/** Asking, on a host without Python, whether a port answers: bash's /dev/tcp, else a nc. */
import { type Command, sh } from '../../shared/shell.ts';

export interface Port {
  readonly host: string;
  readonly port: number;
  /** Seconds after which one attempt is given up. */
  readonly connectTimeout: number;
}

/** Exit code of the scripts where the host has no program that can connect. */
export const NO_TOOL = 126;

export interface Patience {
  /** Seconds that the script may take, and between two attempts. */
  readonly seconds: number;
  readonly sleep: number;
}

/** A script that ends with 0 as soon as the port answers (`open`) or no longer does, and with 1 when time is up. */
export function awaitPort(port: Port, wanted: 'open' | 'closed', patience: Patience): Command {
  const check = wanted === 'open' ? sh`answers` : sh`! answers`;
  return sh`answers() {
if command -v bash >/dev/null; then timeout ${port.connectTimeout} bash -c 'exec 3<>"/dev/tcp/$0/$1"' ${port.host} ${port.port}
elif command -v nc >/dev/null; then case $(nc -h 2>&1) in
*'-e PROG'*) nc -w ${port.connectTimeout} ${port.host} ${port.port} -e true;;
*) nc -z -w ${port.connectTimeout} ${port.host} ${port.port};; esac
else exit ${NO_TOOL}; fi </dev/null >/dev/null 2>&1
}
${repeat(check, patience)}`;
}

/**
 * A script that prints what the port says, within some seconds: at the `first` look only its first piece, which needs
 * no waiting. Ends with 1 where nothing answers.
 */
export function readBanner(port: Port, seconds: number, look: 'first' | 'later'): Command {
  const read = look === 'first' ? 'dd bs=65536 count=1' : 'cat';
  const words = [port.host, port.port, seconds, read];
  return sh`if command -v bash >/dev/null; then
timeout ${port.connectTimeout + seconds} bash -c 'exec 3<>"/dev/tcp/$0/$1" || exit 1; timeout "$2" $3 <&3; exit 0' ${words} 2>/dev/null
elif command -v nc >/dev/null; then timeout ${seconds} nc ${port.host} ${port.port} </dev/null 2>/dev/null; exit 0
else exit ${NO_TOOL}; fi`;
}

/** A script that ends with 0 as soon as `check` succeeds, and with 1 when time is up. */
export function repeat(check: Command, { seconds, sleep }: Patience): Command {
  return sh`end=$(($(date +%s) + ${seconds}))
until ${check}; do [ "$(date +%s)" -lt "$end" ] || exit 1; sleep ${sleep}; done`;
}
