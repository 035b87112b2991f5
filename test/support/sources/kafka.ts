import { mkdir, rename, rm, writeFile } from 'node:fs/promises';
import { Kafka, logLevel } from 'kafkajs';
import { cached } from '../cache.ts';
import { freePorts } from '../free-port.ts';
import { mustRun } from '../run-command.ts';
import type { TestAuthority } from '../scaler/certificates.ts';
import { AUDIENCE } from './oauth.ts';
import { makeServerDirectory, type RunningServer, runAsOwner, startServer } from './server.ts';

export interface KafkaServer extends RunningServer {
  readonly ports: Readonly<Record<'plain' | 'sasl' | 'tls', number>>;
  /** Without a login. */
  readonly client: Kafka;
}

const VERSION = '3.9.1';
const POM = `<project xmlns="http://maven.apache.org/POM/4.0.0">
  <modelVersion>4.0.0</modelVersion>
  <groupId>tsprov.test</groupId><artifactId>kafka</artifactId><version>1</version>
  <dependencies><dependency>
    <groupId>org.apache.kafka</groupId><artifactId>kafka_2.13</artifactId><version>${VERSION}</version>
  </dependency></dependencies>
</project>`;

/**
 * One broker that is its own controller: in clear, by TLS, and with a login (user `app`, password `hunter2`, or a token
 * that is signed by one of the JSON web keys).
 */
export async function startKafka(
  { ca, server }: TestAuthority,
  keys: string,
): Promise<KafkaServer> {
  const jars = await cached(`kafka-${VERSION}`, fetchJars);
  const directory = await makeServerDirectory('kafka');
  const [plain = 0, sasl = 0, tls = 0, controller = 0] = await freePorts(4);
  const pem = (text: string) => text.trim().replaceAll('\n', '\\n');
  const keysUrl = `file://${await directory.write('keys.json', keys)}`;
  const oauth = 'org.apache.kafka.common.security.oauthbearer';
  const config = await directory.write(
    'server.properties',
    `
process.roles=broker,controller
node.id=1
controller.quorum.voters=1@127.0.0.1:${controller}
controller.listener.names=CONTROLLER
inter.broker.listener.name=PLAIN
listeners=PLAIN://127.0.0.1:${plain},SASL://127.0.0.1:${sasl},TLS://127.0.0.1:${tls},CONTROLLER://127.0.0.1:${controller}
advertised.listeners=PLAIN://127.0.0.1:${plain},SASL://127.0.0.1:${sasl},TLS://127.0.0.1:${tls}
listener.security.protocol.map=PLAIN:PLAINTEXT,CONTROLLER:PLAINTEXT,SASL:SASL_PLAINTEXT,TLS:SSL
log.dirs=${directory.path}/data
offsets.topic.replication.factor=1
offsets.topic.num.partitions=2
group.initial.rebalance.delay.ms=0
auto.create.topics.enable=true
listener.name.sasl.sasl.enabled.mechanisms=PLAIN,SCRAM-SHA-256,SCRAM-SHA-512,OAUTHBEARER
listener.name.sasl.plain.sasl.jaas.config=org.apache.kafka.common.security.plain.PlainLoginModule required user_app="hunter2";
listener.name.sasl.scram-sha-256.sasl.jaas.config=org.apache.kafka.common.security.scram.ScramLoginModule required;
listener.name.sasl.scram-sha-512.sasl.jaas.config=org.apache.kafka.common.security.scram.ScramLoginModule required;
listener.name.sasl.oauthbearer.sasl.jaas.config=${oauth}.OAuthBearerLoginModule required;
listener.name.sasl.oauthbearer.sasl.server.callback.handler.class=${oauth}.OAuthBearerValidatorCallbackHandler
listener.name.sasl.oauthbearer.sasl.oauthbearer.jwks.endpoint.url=${keysUrl}
listener.name.sasl.oauthbearer.sasl.oauthbearer.expected.audience=${AUDIENCE}
listener.name.tls.ssl.keystore.type=PEM
listener.name.tls.ssl.keystore.certificate.chain=${pem(server.cert)}
listener.name.tls.ssl.keystore.key=${pem(server.key)}
listener.name.tls.ssl.truststore.type=PEM
listener.name.tls.ssl.truststore.certificates=${pem(ca)}
listener.name.tls.ssl.client.auth=requested
`,
  );
  const java = ['-Xmx300m', '-cp', `${jars}/*`];
  const scram = ['SCRAM-SHA-256', 'SCRAM-SHA-512'].flatMap((mechanism) => [
    ...['--add-scram', `${mechanism}=[name=app,password=hunter2]`],
  ]);
  const format = [
    'kafka.tools.StorageTool',
    'format',
    '-t',
    'bWFkZS1mb3ItdGVzdHMtMQ',
    '-c',
    config,
  ];
  await runAsOwner(directory, 'java', [...java, ...format, ...scram]);
  const client = new Kafka({
    brokers: [`127.0.0.1:${plain}`],
    logLevel: logLevel.NOTHING,
    retry: { retries: 0 },
  });
  const running = await startServer(directory, {
    file: '/usr/bin/java',
    args: [
      `-Dorg.apache.kafka.sasl.oauthbearer.allowed.urls=${keysUrl}`,
      ...java,
      'kafka.Kafka',
      config,
    ],
    probe: () => touch(client),
  });
  return {
    ports: { plain, sasl, tls },
    client: new Kafka({ brokers: [`127.0.0.1:${plain}`], logLevel: logLevel.NOTHING }),
    async stop() {
      await running.stop();
      await directory.remove();
    },
  };
}

async function touch(client: Kafka): Promise<void> {
  const admin = client.admin();
  await admin.connect();
  try {
    await admin.describeCluster();
  } finally {
    await admin.disconnect();
  }
}

async function fetchJars(target: string): Promise<void> {
  const project = `${target}.project`;
  await mkdir(project, { recursive: true });
  await writeFile(`${project}/pom.xml`, POM);
  const goal = 'dependency:copy-dependencies';
  await mustRun('mvn', ['-q', '-B', '-f', `${project}/pom.xml`, goal, '-DoutputDirectory=lib']);
  await rename(`${project}/lib`, target);
  await rm(project, { recursive: true });
}
