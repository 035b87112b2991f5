/** Two processes share the work: one serves the metrics API, the other has the values. */
import { expect } from 'chai';
import type { ApiClient } from '../../src/kubernetes/api-client.ts';
import { systemClock } from '../../src/kubernetes/clock.ts';
import type { TlsCredentials } from '../../src/scaler/certificates/material.ts';
import { openCredentials } from '../../src/scaler/certificates/open.ts';
import type { Changing } from '../../src/scaler/changing.ts';
import { startLink } from '../../src/scaler/web/link.ts';
import { connectLink, type LinkClient } from '../../src/scaler/web/link-client.ts';
import { startMetricsRole } from '../../src/scaler/web/metrics-role.ts';
import type { RunningServer } from '../../src/scaler/web/server.ts';
import { ControlPlane } from '../support/cluster/control-plane.ts';
import {
  certificateSource,
  connectAs,
  metricsRegistration,
  metricsRights,
  metricsService,
  untilMetricsServed,
} from '../support/cluster/metrics-service.ts';
import { needControlPlane } from '../support/cluster/requirements.ts';
import { freePort } from '../support/free-port.ts';

const LABEL = 'scaledobject.scaler.tsprov.dev/name';
const PATH = `/apis/external.metrics.k8s.io/v1beta1/namespaces/default/s0-cron?labelSelector=${encodeURIComponent(`${LABEL}=orders`)}`;

describe('the metrics role beside the operator', () => {
  let plane: ControlPlane;
  const clients: ApiClient[] = [];
  let certificates: readonly Changing<TlsCredentials>[];
  let operator: RunningServer;
  let link: LinkClient;
  let api: RunningServer;
  const stop = new AbortController();
  const problems: unknown[] = [];
  const onProblem = (problem: unknown) => problems.push(problem);

  const startOperator = (credentials: Changing<TlsCredentials>, port: number) =>
    startLink(
      {
        answer: async (namespace, name, scaledObject) => [
          { name: `${namespace}/${scaledObject}/${name}`, value: 2.5 },
        ],
        credentials,
        clientNames: ['localhost'],
        unavailable: () => undefined,
      },
      { port },
    );

  before(async function () {
    await needControlPlane(this);
    plane = await ControlPlane.start();
    const port = await freePort();
    await plane.apply(...metricsService(port));
    await plane.apply(...metricsRights());
    clients.push(await connectAs(plane), await connectAs(plane));
    const registration = metricsRegistration(port);
    const source = certificateSource();
    certificates = await Promise.all(
      clients.map((client) =>
        openCredentials(
          { client, source, registration, clock: systemClock, onProblem },
          stop.signal,
        ),
      ),
    );
    const [operators, servers] = certificates;
    const [client] = clients;
    if (!operators || !servers || !client) throw new Error('there are two processes');
    operator = await startOperator(operators, await freePort());
    const url = new URL(`https://localhost:${operator.port}`);
    link = connectLink({ url, credentials: servers });
    api = await startMetricsRole(
      {
        client,
        credentials: servers,
        clock: systemClock,
        onProblem,
        answer: link.answer,
        health: { live: [], ready: [] },
        scaledObjectLabel: LABEL,
        version: '1.2.3',
      },
      { port },
    );
    await untilMetricsServed(plane, () => problems);
  });
  after(async () => {
    stop.abort();
    await api?.close();
    await link?.close();
    await operator?.close();
    for (const client of clients) await client.close();
    await plane?.stop();
  });

  const ask = () => plane.kubectl('get', '--raw', PATH);

  it('agrees with it on one authority, though both began at once', () => {
    const [one, other] = certificates.map(({ value }) => value);
    expect(one).to.deep.equal(other);
    expect(problems).to.deep.equal([]);
  });

  it('gives the values that the operator has', async () => {
    const { items } = JSON.parse(await ask());
    expect(items[0]).to.include({ metricName: 'default/orders/s0-cron', value: '2500m' });
  });

  it('says so while the operator is down, and goes on when it is back', async () => {
    await operator.close();
    const error = await ask().catch((e: Error) => e);
    expect(String(error)).to.match(/the operator at localhost:\d+ did not answer within 3000 ms/);
    const [credentials] = certificates;
    if (credentials) operator = await startOperator(credentials, operator.port);
    expect(JSON.parse(await ask()).items).to.have.length(1);
  });
});
