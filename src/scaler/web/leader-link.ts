/** Answers of a process that does not lead: those of the one that does, so that all replicas say the same. */
import type { TlsCredentials } from '../certificates/material.ts';
import type { Changing } from '../changing.ts';
import { connectLink, type LinkClient, NobodyAnswered } from './link-client.ts';
import type { AnswerMetric } from './metrics-api.ts';

export interface LeaderLinkOptions {
  /** What this process answers where it leads, or nobody who does can be asked. */
  readonly own: AnswerMetric;
  /** Where the leader is asked, as `host:port`; undefined where this process leads, or nobody is known to. */
  readonly leaderAddress: () => string | undefined;
  /** The name that the leader's certificate must have. */
  readonly serverName: string;
  readonly credentials: Changing<TlsCredentials>;
  /** Milliseconds that never jump. */
  readonly steadyMs: () => number;
}

/** For one question: a source may take its time, and is asked twice. */
const DEADLINE_MS = 10_000;
/** A leader that did not answer is not asked for so long: the HPA waits for each of its questions. */
const REST_MS = 5000;

/** Asks whoever leads. A leader that does not answer is on its way out: until another takes over, sources are read here. */
export function answerWithLeader(options: LeaderLinkOptions): LinkClient {
  const { own, leaderAddress, steadyMs } = options;
  let link: { readonly address: string; readonly client: LinkClient } | undefined;
  let restsUntilMs = 0;

  const clientFor = (address: string): LinkClient => {
    if (link?.address === address) return link.client;
    void link?.client.close();
    link = { address, client: connectTo(address, options) };
    restsUntilMs = 0;
    return link.client;
  };

  return {
    async answer(namespace, metric, scaledObject, signal) {
      const address = leaderAddress();
      const client = address === undefined ? undefined : clientFor(address);
      const mayAsk = client !== undefined && steadyMs() >= restsUntilMs;
      if (!mayAsk) return own(namespace, metric, scaledObject, signal);
      try {
        return await client.answer(namespace, metric, scaledObject, signal);
      } catch (error) {
        if (!(error instanceof NobodyAnswered)) throw error;
        restsUntilMs = steadyMs() + REST_MS;
        return own(namespace, metric, scaledObject, signal);
      }
    },
    async close() {
      await link?.client.close();
    },
  };
}

function connectTo(address: string, { serverName, credentials }: LeaderLinkOptions): LinkClient {
  const url = new URL(`https://${address}`);
  return connectLink({ url, serverName, credentials, deadlineMs: DEADLINE_MS, isImpatient: true });
}
