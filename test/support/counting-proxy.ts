import { type ProxyTarget, startTcpProxy, type TcpProxy } from './tcp-proxy.ts';

/** What went through a proxy since it started or was last reset. */
export interface Traffic {
  /** How often the client spoke after the server had spoken: the round trips that somebody waited for. */
  readonly roundTrips: number;
  readonly bytesUp: number;
  readonly bytesDown: number;
}

/** A proxy that counts round trips on the wire, whatever is inside them. */
export interface CountingProxy extends TcpProxy {
  traffic(): Traffic;
  reset(): void;
}

/** Starts a counting proxy in front of one server. Meant for one connection at a time. */
export async function startCountingProxy(target: ProxyTarget): Promise<CountingProxy> {
  const none = { roundTrips: 0, bytesUp: 0, bytesDown: 0 };
  let traffic: Traffic = none;
  let last: 'up' | 'down' = 'down';
  const proxy = await startTcpProxy(target, (direction, { length }, send) => {
    const { roundTrips, bytesUp, bytesDown } = traffic;
    const turned = length > 0 && direction === 'up' && last === 'down';
    traffic = {
      roundTrips: roundTrips + (turned ? 1 : 0),
      bytesUp: bytesUp + (direction === 'up' ? length : 0),
      bytesDown: bytesDown + (direction === 'down' ? length : 0),
    };
    if (length > 0) last = direction;
    send();
  });
  return {
    ...proxy,
    traffic: () => traffic,
    reset: () => {
      traffic = none;
    },
  };
}
