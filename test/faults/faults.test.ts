/** Whatever breaks: no workload is sent to sleep that has work, none sleeps on when work comes, and no Job is made twice. */
import { setTimeout as delay } from 'node:timers/promises';
import { expect } from 'chai';
import { ApiProxy } from '../support/cluster/api-proxy.ts';
import { FaultTrial, SEED } from '../support/cluster/fault-trial.ts';
import { Operator } from '../support/cluster/operator.ts';
import { QueueServer } from '../support/cluster/queue-server.ts';
import { needControlPlane } from '../support/cluster/requirements.ts';
import { replicasOf, untilCondition, untilReplicas } from '../support/cluster/scaler-objects.ts';
import { SettableClock } from '../support/cluster/settable-clock.ts';

const COOLDOWN_SECONDS = 8;

describe(`Scaling through faults (seed ${SEED})`, () => {
  let trial: FaultTrial;
  let operator: Operator;
  let proxy: ApiProxy;
  let clock: SettableClock;

  before(async function () {
    await needControlPlane(this);
    trial = await FaultTrial.start(COOLDOWN_SECONDS);
    const { plane, port, history } = trial;
    proxy = await ApiProxy.start(plane, 'operator-one');
    clock = await SettableClock.create();
    const { kubeconfigPath: kubeconfig } = proxy;
    operator = await Operator.another(plane, port, { kubeconfig, env: clock.env });
    await operator.process.start();
    await trial.make('busy');
    await trial.make('idle');
    await trial.makeJobs('work');
    history.set('busy', 5);
    await untilReplicas(plane, 'busy', 1);
    await untilCondition(plane, 'idle', 'Ready', 'True ScaledObjectReady');
    await untilCondition(plane, 'work', 'Ready', 'True ScaledJobReady', 'scaledjob');
  });
  after(async () => {
    await operator?.stop();
    await clock?.remove();
    await proxy?.stop();
    await trial?.stop();
  });
  beforeEach(() => {
    trial.begin();
    trial.history.set('busy', 5);
  });
  afterEach(async () => {
    await trial.expectNoWrongZeros();
    trial.history.set('idle', 0);
    await untilReplicas(trial.plane, 'idle', 0);
    expect(await replicasOf(trial.plane, 'deployment', 'busy')).to.be.greaterThan(0);
    await trial.expectJobs('work');
  });

  it('survives an API server that is stopped and started', async () => {
    const { plane, history } = trial;
    history.set('idle', 1);
    await trial.untilAwake('idle');
    trial.addWork('work', 3);
    await plane.apiServer.stop('SIGKILL');
    history.set('idle', 0);
    // Longer than the lease can be renewed.
    await delay(13_000);
    history.set('idle', 1);
    trial.addWork('work', 3);
    await plane.apiServer.start();
    await trial.untilAwake('idle');
  });

  it('sees what it has missed when its watches have expired', async () => {
    const { plane, history } = trial;
    operator.process.pause();
    await trial.make('missed');
    history.set('missed', 5);
    trial.addWork('work', 3);
    await plane.compact();
    await plane.apiServer.restart('SIGKILL');
    operator.process.resume();
    await trial.untilAwake('missed');
    await plane.kubectl('delete', 'scaledobject', 'missed');
  });

  it('survives a store that stands still, and one that is slow', async () => {
    const { plane, history, random } = trial;
    plane.etcd.pause();
    history.set('idle', 1);
    trial.addWork('work', 3);
    await delay(12_000);
    plane.etcd.resume();
    await trial.untilAwake('idle');
    for (let stall = 0; stall < 10; stall += 1) {
      plane.etcd.pause();
      await delay(500 * random());
      history.set('idle', stall % 2);
      trial.addWork('work', 1);
      plane.etcd.resume();
      await delay(100);
    }
    await trial.untilAwake('idle');
  });

  it('gets its writes through storms of conflicts, refusals and lost answers', async () => {
    const { history, random } = trial;
    proxy.refuse = () => {
      const drawn = random();
      if (drawn < 0.2) return 'conflict';
      if (drawn < 0.4) return 'lost answer';
      return drawn < 0.6 ? 'too many requests' : undefined;
    };
    for (let round = 0; round < 3; round += 1) {
      history.set('idle', 1);
      trial.addWork('work', 4);
      await trial.untilAwake('idle');
      // Less may come and go between two polls.
      await delay(trial.unseenMs);
      history.set('idle', 0);
      await delay(COOLDOWN_SECONDS * 1000 * random() * 1.5);
    }
    history.set('idle', 1);
    proxy.refuse = () => undefined;
    await trial.untilAwake('idle');
    expect(proxy.refused).to.be.greaterThan(10);
  });

  it('keeps its intervals and cooldowns when the clock is set', async () => {
    const { plane, history } = trial;
    for (const seconds of [7200, -7200]) {
      history.set('idle', 1);
      await trial.untilAwake('idle');
      history.set('idle', 0);
      trial.addWork('work', 2);
      await clock.set(seconds);
      trial.addWork('work', 2);
      await untilReplicas(plane, 'idle', 0);
    }
    history.set('idle', 1);
    await trial.untilAwake('idle');
    await clock.set(0);
  });

  describe('whose sources fail', () => {
    const faults = ['garbage', 'error', 'silence', 'huge', 'down'] as const;
    const servers = faults.map((fault) => ({ fault, server: new QueueServer() }));

    after(async () => {
      for (const { server } of servers) await server.stop();
    });

    /** For each fault with the server that has it. */
    const forEach = async (
      act: (fault: (typeof faults)[number], server: QueueServer) => unknown,
    ) => {
      for (const { fault, server } of servers) await act(fault, server);
    };

    it('keeps what runs, and wakes what sleeps when they are back', async () => {
      const { plane, history } = trial;
      await forEach(async (fault, server) => {
        await server.start();
        await trial.make(`${fault}-busy`, server);
        await trial.make(`${fault}-idle`, server);
        history.set(`${fault}-busy`, 1, server);
      });
      await forEach((fault) => trial.untilAwake(`${fault}-busy`));
      await forEach(async (fault, server) => {
        if (fault === 'down') await server.stop();
        else server.answer = fault;
        // Which nobody can see.
        history.set(`${fault}-busy`, 0, server);
        history.set(`${fault}-idle`, 1, server);
      });
      await delay((COOLDOWN_SECONDS + 4) * 1000);
      await forEach(async (fault) => {
        expect(await replicasOf(plane, 'deployment', `${fault}-busy`), fault).to.equal(1);
      });
      await forEach(async (fault, server) => {
        if (fault === 'down') await server.start();
        server.answer = 'length';
      });
      await forEach((fault) => trial.untilAwake(`${fault}-idle`));
      await forEach((fault) => untilReplicas(plane, `${fault}-busy`, 0));
    });
  });
});
