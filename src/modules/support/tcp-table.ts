/** Connections as `/proc/net/tcp` and `/proc/net/tcp6` list them. */
import { table } from '../../shared/table.ts';

/** Numbers of the states that wait_for knows. */
export const CONNECTION_STATES: Readonly<Record<string, string>> = table({
  ESTABLISHED: '01',
  SYN_SENT: '02',
  SYN_RECV: '03',
  FIN_WAIT1: '04',
  FIN_WAIT2: '05',
  TIME_WAIT: '06',
});

export interface ConnectionFilter {
  readonly port: number;
  /** Addresses of the host's own end; an unspecified address stands for all. */
  readonly addresses: readonly string[];
  readonly excluded: readonly string[];
  readonly states: readonly string[];
}

/** How many connections to a port are in one of the states. */
export function countConnections(table: string, filter: ConnectionFilter): number {
  const { port, addresses, excluded, states } = filter;
  const codes = states.map((state) => CONNECTION_STATES[state]);
  const isAny = addresses.some((address) => /^[0:.]+$/.test(address));
  return table.split('\n').filter((line) => {
    const [, local = '', remote = '', state = ''] = line.trim().split(/\s+/);
    const [address = '', hexPort = ''] = local.split(':');
    return (
      Number.parseInt(hexPort, 16) === port &&
      codes.includes(state) &&
      (isAny || addresses.includes(readAddress(address))) &&
      !excluded.includes(readAddress(remote.split(':')[0] ?? ''))
    );
  }).length;
}

/** `0100007F` is 127.0.0.1: words of four bytes, each backwards. IPv4 in IPv6 is given as IPv4. */
function readAddress(hex: string): string {
  const bytes = (hex.match(/.{8}/g) ?? []).flatMap((word) =>
    [6, 4, 2, 0].map((at) => Number.parseInt(word.slice(at, at + 2), 16)),
  );
  if (bytes.length === 4) return bytes.join('.');
  const isMapped = bytes.slice(0, 10).every((byte) => byte === 0) && bytes[10] === 255;
  if (isMapped) return bytes.slice(12).join('.');
  return canonical(bytes);
}

function canonical(bytes: readonly number[]): string {
  const groups = Array.from({ length: 8 }, (_, i) =>
    ((bytes[2 * i] ?? 0) * 256 + (bytes[2 * i + 1] ?? 0)).toString(16),
  );
  const host = new URL(`http://[${groups.join(':')}]`).hostname;
  return host.slice(1, -1);
}
