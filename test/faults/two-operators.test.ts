/** Two operators of one cluster: one acts, and the other takes over in time. */
import { setTimeout as delay } from 'node:timers/promises';
import { expect } from 'chai';
import { ApiProxy } from '../support/cluster/api-proxy.ts';
import { FaultTrial, SEED } from '../support/cluster/fault-trial.ts';
import { untilMetricsServed } from '../support/cluster/metrics-service.ts';
import { Operator } from '../support/cluster/operator.ts';
import { needControlPlane } from '../support/cluster/requirements.ts';
import { operatorWritesOf } from '../support/cluster/scale-record.ts';
import { untilReplicas } from '../support/cluster/scaler-objects.ts';
import { freePort } from '../support/free-port.ts';
import { startTcpProxy } from '../support/tcp-proxy.ts';
import { until } from '../support/until.ts';

const COOLDOWN_SECONDS = 8;
const NAMES = ['operator-a', 'operator-b'] as const;
/** The first has the lease as long as users have it who say nothing; the second is given up sooner. */
const LEASES = {
  'operator-a': [],
  'operator-b': ['--lease-duration=6s', '--renew-deadline=4s', '--retry-period=1s'],
} as const;

describe(`Two operators (seed ${SEED})`, () => {
  let trial: FaultTrial;
  const operators: Operator[] = [];
  const proxies: ApiProxy[] = [];
  /** Which operator the Service leads to. */
  const served = { host: '127.0.0.1', port: 0 };
  let service: Awaited<ReturnType<typeof startTcpProxy>> | undefined;

  before(async function () {
    await needControlPlane(this);
    service = await startTcpProxy(
      {
        host: served.host,
        get port() {
          return served.port;
        },
      },
      (_direction, _chunk, send) => send(),
    );
    trial = await FaultTrial.start(COOLDOWN_SECONDS, service.port);
    const { plane, port } = trial;
    for (const name of NAMES) {
      const securePort = await freePort();
      // In the end that of the one that waits.
      served.port = securePort;
      const proxy = await ApiProxy.start(plane, name);
      const args = ['--metrics-service-port', String(port), ...LEASES[name]];
      const { kubeconfigPath: kubeconfig } = proxy;
      const operator = await Operator.another(plane, securePort, { args, kubeconfig });
      proxies.push(proxy);
      operators.push(operator);
      await operator.process.start();
      await until(
        async () => (await leader()) !== '',
        () => 'nobody leads',
      );
    }
    await untilMetricsServed(trial.plane);
    await trial.make('shared');
    await trial.makeJobs('work');
  });
  after(async () => {
    for (const operator of operators) {
      operator.process.resume();
      await operator.stop();
    }
    for (const proxy of proxies) await proxy.stop();
    await service?.close();
    await trial?.stop();
  });
  beforeEach(() => trial.begin());
  afterEach(async () => {
    await trial.expectNoWrongZeros();
    await trial.expectJobs('work');
  });

  const leader = async () => {
    const path = '{.items[?(@.spec.holderIdentity)].spec.holderIdentity}';
    return trial.plane.kubectl('get', 'lease', '-n', 'tsprov-scaler', '-o', `jsonpath=${path}`);
  };
  const untilLeaderIsOther = async (than: string) => {
    let seen = '';
    await until(
      async () => {
        seen = await leader();
        return ![than, ''].includes(seen);
      },
      () => seen,
    );
  };
  /** Who has written since, of the operators. */
  const writersSince = async (ms: number) => {
    const writes = operatorWritesOf(await trial.plane.auditLog());
    const late = writes.filter(
      ({ requestReceivedTimestamp }) => Date.parse(requestReceivedTimestamp) > ms,
    );
    return [...new Set(late.map(({ userAgent }) => userAgent?.split(' ').at(-1)))];
  };

  it('lets one act, and either answer the HPA', async () => {
    const startedMs = Date.now();
    // The Service leads to the one that waits.
    trial.history.set('shared', 15);
    trial.addWork('work', 3);
    await untilReplicas(trial.plane, 'shared', 3);
    expect(await writersSince(startedMs)).to.deep.equal(['operator-a']);
  });

  it('hands over when the leader is cut off, which then writes no more', async () => {
    const { plane, history } = trial;
    const before = await leader();
    trial.addWork('work', 3);
    proxies[0]?.cut();
    trial.addWork('work', 3);
    await untilLeaderIsOther(before);
    const takenMs = Date.now();
    proxies[0]?.mend();
    history.set('shared', 0);
    await untilReplicas(plane, 'shared', 0);
    history.set('shared', 5);
    await trial.untilAwake('shared');
    expect(await writersSince(takenMs)).to.deep.equal(['operator-b']);
  });

  it('hands over when the leader stands still, which does nothing when it wakes', async () => {
    // Its last poll has found an empty queue, and a zero is due.
    trial.history.set('shared', 0);
    const before = await leader();
    await delay((COOLDOWN_SECONDS - 1) * 1000);
    trial.addWork('work', 3);
    operators[1]?.process.pause();
    trial.history.set('shared', 5);
    await untilLeaderIsOther(before);
    await trial.untilAwake('shared');
    const takenMs = Date.now();
    operators[1]?.process.resume();
    trial.addWork('work', 3);
    await delay(3000);
    const writers = await writersSince(takenMs);
    expect(writers.filter((user) => user !== 'operator-a')).to.deep.equal([]);
  });

  it('hands over after a kill, and at once when the leader ends by itself', async () => {
    const { plane, history } = trial;
    const before = await leader();
    trial.addWork('work', 3);
    await operators[0]?.process.stop('SIGKILL');
    await untilLeaderIsOther(before);
    history.set('shared', 0);
    await untilReplicas(plane, 'shared', 0);
    await operators[0]?.process.start();
    const second = await leader();
    trial.addWork('work', 3);
    await operators[1]?.process.stop('SIGTERM');
    expect(await leader(), 'it gives the lease back').to.not.equal(second);
    await untilLeaderIsOther(second);
    history.set('shared', 5);
    await trial.untilAwake('shared');
  });
});
