import { type ProxyTarget, startTcpProxy, type TcpProxy } from './tcp-proxy.ts';

/** A proxy through which every byte takes half of `roundTripMs` in each direction. */
export function startDelayProxy(target: ProxyTarget, roundTripMs: number): Promise<TcpProxy> {
  // Timers of equal length fire in the order in which they were set, so the stream keeps its order.
  return startTcpProxy(target, (_direction, _chunk, send) => setTimeout(send, roundTripMs / 2));
}
