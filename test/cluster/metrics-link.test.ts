/** Two processes share the work: one serves the metrics API, the other has the values. */
import { expect } from 'chai';
import { startLink } from '../../src/scaler/web/link.ts';
import { connectLink, type LinkClient } from '../../src/scaler/web/link-client.ts';
import type { RunningServer } from '../../src/scaler/web/server.ts';
import { ControlPlane } from '../support/cluster/control-plane.ts';
import {
  installMetrics,
  type MetricsProcess,
  openMetricsProcess,
  SCALED_OBJECT_LABEL,
} from '../support/cluster/metrics-process.ts';
import { needControlPlane } from '../support/cluster/requirements.ts';
import { freePort } from '../support/free-port.ts';

const PATH = `/apis/external.metrics.k8s.io/v1beta1/namespaces/default/s0-cron?labelSelector=${encodeURIComponent(`${SCALED_OBJECT_LABEL}=orders`)}`;

describe('the metrics role beside the operator', () => {
  let plane: ControlPlane;
  /** That of the operator, and that of the role. */
  let processes: readonly [MetricsProcess, MetricsProcess];
  let operator: RunningServer;
  let link: LinkClient;

  const startOperator = (port: number) =>
    startLink(
      {
        answer: async (namespace, name, scaledObject) => [
          { name: `${namespace}/${scaledObject}/${name}`, value: 2.5 },
        ],
        credentials: processes[0].credentials,
        clientNames: ['localhost'],
        unavailable: () => undefined,
      },
      { port },
    );

  before(async function () {
    await needControlPlane(this);
    plane = await ControlPlane.start();
    const port = await installMetrics(plane);
    processes = await Promise.all([
      openMetricsProcess(plane, port),
      openMetricsProcess(plane, port),
    ]);
    operator = await startOperator(await freePort());
    const url = new URL(`https://localhost:${operator.port}`);
    link = connectLink({ url, credentials: processes[1].credentials });
    await processes[1].serve(link.answer);
  });
  after(async () => {
    for (const each of processes ?? []) await each.close();
    await link?.close();
    await operator?.close();
    await plane?.stop();
  });

  const ask = () => plane.kubectl('get', '--raw', PATH);

  it('agrees with it on one authority, though both began at once', () => {
    const [one, other] = processes;
    expect(one.credentials.value).to.deep.equal(other.credentials.value);
    expect([...one.problems, ...other.problems]).to.deep.equal([]);
  });

  it('gives the values that the operator has', async () => {
    const { items } = JSON.parse(await ask());
    expect(items[0]).to.include({ metricName: 'default/orders/s0-cron', value: '2500m' });
  });

  it('says so while the operator is down, and goes on when it is back', async () => {
    await operator.close();
    const error = await ask().catch((e: Error) => e);
    expect(String(error)).to.match(/the operator at localhost:\d+ did not answer within 3000 ms/);
    operator = await startOperator(operator.port);
    expect(JSON.parse(await ask()).items).to.have.length(1);
  });
});
