import { expect } from 'chai';
import { LeaderElector } from '../../../src/scaler/cluster/lease.ts';
import { FakeClock, settle } from '../../support/scaler/fake-clock.ts';
import { FakeLeases } from '../../support/scaler/fake-leases.ts';

const HOUR_MS = 3_600_000;

describe('leader election', () => {
  let clock: FakeClock;
  let leases: FakeLeases;
  let log: string[];
  let stops: AbortController[];

  interface Options {
    readonly isHanging?: () => boolean;
    /** The leader's work goes on for so long after it was told to end. */
    readonly work?: Promise<void>;
    readonly annotations?: () => Readonly<Record<string, string>>;
    /** A candidate with a clock of its own: one whose machine may stand still. */
    readonly clock?: FakeClock;
  }

  const stand = (identity: string, options: Options = {}) => {
    const stop = new AbortController();
    stops.push(stop);
    const elector = new LeaderElector({
      client: leases.client(options.isHanging),
      namespace: 'kube-system',
      name: 'leader',
      identity,
      clock: options.clock ?? clock,
      ...(options.annotations && { annotations: options.annotations }),
      random: () => 0,
      onStartedLeading: async (signal) => {
        log.push(`${identity} starts`);
        await new Promise((resolve) => signal.addEventListener('abort', resolve));
        log.push(`${identity} is told to end`);
        await options.work;
      },
      onStoppedLeading: () => log.push(`${identity} stops`),
      onProblem: (problem) => log.push(`${identity}: ${(problem as Error).message}`),
    });
    const running = elector.run(stop.signal);
    return { elector, stop, running };
  };

  beforeEach(() => {
    clock = new FakeClock();
    leases = new FakeLeases();
    log = [];
    stops = [];
  });
  afterEach(() => {
    for (const stop of stops) stop.abort();
  });

  it('lets the first candidate lead, and only that one', async () => {
    const one = stand('one');
    await settle();
    const two = stand('two');
    await clock.advance(HOUR_MS);
    expect([one.elector.isLeading, two.elector.isLeading]).to.deep.equal([true, false]);
    expect(two.elector.leader).to.equal('one');
    expect(log).to.deep.equal(['one starts']);
    expect(leases.lease?.spec).to.include({ holderIdentity: 'one', leaseDurationSeconds: 15 });
    expect(leases.lease?.spec?.acquireTime).to.equal('2026-01-01T00:00:00.000000Z');
  });

  it('lets the leader tell the others something', async () => {
    let place = 'here';
    stand('one', { annotations: () => ({ place }) });
    await settle();
    const two = stand('two');
    await clock.advance(10_000);
    expect(two.elector.told('place')).to.equal('here');
    place = 'there';
    await clock.advance(10_000);
    expect(two.elector.told('place')).to.equal('there');
  });

  it('writes one record where several begin at once', async () => {
    for (const name of ['one', 'two', 'three']) stand(name);
    await clock.advance(60_000);
    expect(log).to.have.length(1);
  });

  it('gives the lease back only when the work has ended', async () => {
    let end: () => void = () => undefined;
    const work = new Promise<void>((resolve) => {
      end = resolve;
    });
    const one = stand('one', { work });
    await settle();
    stand('two');
    one.stop.abort();
    await clock.advance(4000);
    expect(log).to.deep.equal(['one starts', 'one is told to end']);
    end();
    await one.running;
    await clock.advance(2000);
    expect(log.slice(2)).to.deep.equal(['one stops', 'two starts']);
    expect(leases.lease?.spec?.leaseTransitions).to.equal(1);
  });

  for (const jumpMs of [-HOUR_MS, HOUR_MS]) {
    it(`is not moved by a clock that jumps by ${jumpMs / HOUR_MS} h`, async () => {
      const one = stand('one');
      await settle();
      stand('two');
      await clock.advance(10_000);
      clock.jump(jumpMs);
      await clock.advance(60_000);
      expect(one.elector.isLeading).to.equal(true);
      expect(log).to.deep.equal(['one starts']);
    });
  }

  it('waits for as long as a lease says since it saw it change, whatever times stand in it', async () => {
    const renewTime = '2001-01-01T00:00:00.000000Z';
    const spec = {
      holderIdentity: 'dead',
      leaseDurationSeconds: 15,
      renewTime,
      leaseTransitions: 4,
    };
    leases.store({ metadata: { name: 'leader' }, spec });
    const { elector } = stand('one');
    await clock.advance(15_000);
    expect(elector.isLeading).to.equal(false);
    await clock.advance(2000);
    expect(elector.isLeading).to.equal(true);
    expect(leases.lease?.spec?.leaseTransitions).to.equal(5);
  });

  it('takes up its own lease at once after a restart', async () => {
    const spec = { holderIdentity: 'one', leaseDurationSeconds: 15, leaseTransitions: 2 };
    leases.store({ metadata: { name: 'leader' }, spec });
    const { elector } = stand('one');
    await settle();
    expect(elector.isLeading).to.equal(true);
    expect(leases.lease?.spec?.leaseTransitions).to.equal(2);
  });

  it('leads on through a short absence of the API server', async () => {
    const { elector } = stand('one');
    await clock.advance(2000);
    leases.isDown = true;
    await clock.advance(7000);
    leases.isDown = false;
    await clock.advance(60_000);
    expect(elector.isLeading).to.equal(true);
    expect(log.filter((line) => line.endsWith('s'))).to.deep.equal(['one starts']);
  });

  const absences = {
    'is away': (lost: { isHanging: boolean }) => {
      leases.isDown = true;
      return lost;
    },
    'does not answer': (lost: { isHanging: boolean }) => {
      lost.isHanging = true;
      return lost;
    },
  };
  for (const [title, begin] of Object.entries(absences)) {
    it(`stops before anybody else can lead when the API server ${title}`, async () => {
      const lost = { isHanging: false };
      const one = stand('one', { isHanging: () => lost.isHanging });
      await settle();
      const two = stand('two');
      await clock.advance(1000);
      begin(lost);
      await clock.advance(9000);
      expect(one.elector.isLeading).to.equal(false);
      expect(log).to.include('one is told to end');
      expect(two.elector.isLeading).to.equal(false);
      leases.isDown = false;
      await clock.advance(8000);
      expect([one, two].filter(({ elector }) => elector.isLeading)).to.have.length(1);
    });
  }

  it('does not lead after its machine stood still, not even for a moment', async () => {
    const own = new FakeClock();
    const one = stand('one', { clock: own });
    await settle();
    const two = stand('two');
    await clock.advance(20_000);
    expect(two.elector.isLeading).to.equal(true);
    // It wakes: no timer of its own has run yet.
    own.skip(20_000);
    expect(one.elector.isLeading).to.equal(false);
    await own.advance(5000);
    expect(log.slice(0, 4)).to.deep.equal([
      'one starts',
      'two starts',
      'one is told to end',
      'one stops',
    ]);
    expect(leases.lease?.spec?.holderIdentity).to.equal('two');
  });

  it('makes the lease again when somebody removed it', async () => {
    const { elector } = stand('one');
    await clock.advance(5000);
    leases.lease = undefined;
    await clock.advance(5000);
    expect(elector.isLeading).to.equal(true);
    expect(leases.lease).not.to.equal(undefined);
    expect(log).to.deep.equal(['one starts']);
  });

  it('stops at once when somebody else has taken the lease', async () => {
    stand('one');
    await clock.advance(5000);
    const spec = { holderIdentity: 'thief', leaseDurationSeconds: 15 };
    leases.store({ metadata: { name: 'leader' }, spec });
    await clock.advance(2000);
    expect(log).to.deep.equal(['one starts', 'one is told to end', 'one stops']);
  });

  it('refuses times with which two could lead', () => {
    const client = leases.client();
    const common = { client, namespace: 'a', name: 'b', identity: 'c' };
    const rest = { onStartedLeading: () => undefined, onProblem: () => undefined };
    expect(() => new LeaderElector({ ...common, ...rest, leaseDurationMs: 10_000 })).to.throw(
      'the lease duration (10000 ms) must be longer than the renew deadline (10000 ms)',
    );
  });
});
