/** The client of external scalers, by the packages of gRPC; they are large, so it is loaded when it is needed. */
import { type ConnectionOptions, createSecureContext } from 'node:tls';
import {
  type ChannelCredentials,
  type Client,
  credentials,
  loadPackageDefinition,
} from '@grpc/grpc-js';
import { fromJSON } from '@grpc/proto-loader';
import { EXTERNAL_SCALER_PROTOCOL, MESSAGE_OPTIONS } from './external-protocol.ts';

type Protocol = Parameters<typeof fromJSON>[0];

/** A client that connects with its first call. */
export function createExternalClient(address: string, tls: ConnectionOptions | undefined): Client {
  const definition = fromJSON(EXTERNAL_SCALER_PROTOCOL as unknown as Protocol, MESSAGE_OPTIONS);
  const { externalscaler } = loadPackageDefinition(definition) as unknown as {
    externalscaler: {
      ExternalScaler: new (to: string, by: ChannelCredentials, options: object) => Client;
    };
  };
  const channel =
    tls === undefined
      ? credentials.createInsecure()
      : credentials.createFromSecureContext(createSecureContext(tls), {
          rejectUnauthorized: tls.rejectUnauthorized ?? true,
        });
  return new externalscaler.ExternalScaler(address, channel, {
    'grpc.service_config': JSON.stringify({ loadBalancingConfig: [{ round_robin: {} }] }),
    // A scaler that was away is tried again soon, and not after minutes.
    'grpc.max_reconnect_backoff_ms': 10_000,
  });
}
