import {
  loadPackageDefinition,
  Server,
  ServerCredentials,
  type ServiceClientConstructor,
  type UntypedServiceImplementation,
} from '@grpc/grpc-js';
import { loadSync } from '@grpc/proto-loader';
import type { TestAuthority } from './certificates.ts';

export interface ExternalScalerServer {
  readonly address: string;
  /** Ends at once, with all streams. */
  stop(): void;
}

/** A scaler of a user's, who has the protocol from its documents; methods that are not given are not implemented. */
export async function startExternalScaler(
  methods: UntypedServiceImplementation,
  authority?: TestAuthority,
  port = 0,
): Promise<ExternalScalerServer> {
  const definition = loadSync('test/support/scaler/externalscaler.proto', { keepCase: true });
  const { externalscaler } = loadPackageDefinition(definition) as unknown as {
    externalscaler: { ExternalScaler: ServiceClientConstructor };
  };
  const server = new Server();
  server.addService(externalscaler.ExternalScaler.service, methods);
  const credentials =
    authority === undefined ? ServerCredentials.createInsecure() : secure(authority);
  const bound = await new Promise<number>((resolve, reject) => {
    server.bindAsync(`127.0.0.1:${port}`, credentials, (error, at) =>
      error === null ? resolve(at) : reject(error),
    );
  });
  return { address: `localhost:${bound}`, stop: () => server.forceShutdown() };
}

function secure({ ca, server }: TestAuthority): ServerCredentials {
  const pair = { private_key: Buffer.from(server.key), cert_chain: Buffer.from(server.cert) };
  return ServerCredentials.createSsl(Buffer.from(ca), [pair], true);
}
