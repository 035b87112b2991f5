/** Operators that end without a word: whoever begins anew goes on where they were. */
import { setTimeout as delay } from 'node:timers/promises';
import { FaultTrial, SEED } from '../support/cluster/fault-trial.ts';
import { Operator } from '../support/cluster/operator.ts';
import { needControlPlane } from '../support/cluster/requirements.ts';
import { untilReplicas } from '../support/cluster/scaler-objects.ts';
import { freePort } from '../support/free-port.ts';

const KILLS = 100;
/** Operators that are killed side by side, each with objects of its own. */
const SHARDS = ['red', 'green', 'blue', 'white'] as const;
const COOLDOWN_SECONDS = 4;
/** Most are killed before they have done much; some live long enough to see a cooldown end. */
const SHORT_LIFE_MS = 1500;
const LONG_LIFE_MS = 6000;
const LONG_LIVES = 0.15;

class Shard {
  readonly name: string;
  readonly #trial: FaultTrial;
  readonly #operator: Operator;

  private constructor(name: string, trial: FaultTrial, operator: Operator) {
    this.name = name;
    this.#trial = trial;
    this.#operator = operator;
  }

  static async start(name: (typeof SHARDS)[number], trial: FaultTrial): Promise<Shard> {
    const { plane } = trial;
    // The API server asks one of them.
    const own = name === 'red' ? [] : ['--no-apiservice'];
    const args = ['--no-leader-elect', `--watch-label-selector=shard=${name}`, ...own];
    const port = name === 'red' ? trial.port : await freePort();
    const shard = new Shard(name, trial, await Operator.another(plane, port, { args }));
    const metadata = { labels: { shard: name } };
    for (const each of shard.workloads) await trial.make(each, trial.queues, metadata);
    await trial.makeJobs(shard.jobs, metadata);
    return shard;
  }

  get workloads(): readonly string[] {
    return ['first', 'second', 'third'].map((each) => `${this.name}-${each}`);
  }

  get jobs(): string {
    return `${this.name}-jobs`;
  }

  /** Work comes or goes for some of the workloads, and comes for the Jobs. */
  change(share: number, otherwise?: number): void {
    const { history, random } = this.#trial;
    for (const each of this.workloads) {
      if (random() < share) history.set(each, 5);
      else if (otherwise !== undefined) history.set(each, otherwise);
    }
    if (random() < share) this.#trial.addWork(this.jobs, 1);
  }

  async kill(times: number): Promise<void> {
    const { random } = this.#trial;
    const { process } = this.#operator;
    for (let kill = 0; kill < times; kill += 1) {
      this.change(0.3);
      // It may be killed before it is ready.
      const started = process.start().catch(() => {});
      await delay((random() < LONG_LIVES ? LONG_LIFE_MS : SHORT_LIFE_MS) * random());
      this.change(0.4, 0);
      await process.stop('SIGKILL');
      await started;
    }
    await process.start();
  }

  async expectGoesOn(): Promise<void> {
    this.change(1);
    for (const each of this.workloads) await this.#trial.untilAwake(each);
    await this.#trial.expectJobs(this.jobs);
    this.change(0, 0);
    for (const each of this.workloads) await untilReplicas(this.#trial.plane, each, 0);
  }

  async stop(): Promise<void> {
    await this.#operator.stop();
  }
}

describe(`An operator that is killed at random moments (seed ${SEED})`, () => {
  let trial: FaultTrial;
  const shards: Shard[] = [];

  before(async function () {
    await needControlPlane(this);
    trial = await FaultTrial.start(COOLDOWN_SECONDS);
    for (const name of SHARDS) shards.push(await Shard.start(name, trial));
  });
  after(async () => {
    for (const shard of shards) await shard.stop();
    await trial?.stop();
  });

  it(`goes on where it was, ${KILLS} times`, async () => {
    await Promise.all(shards.map((shard) => shard.kill(KILLS / SHARDS.length)));
    await Promise.all(shards.map((shard) => shard.expectGoesOn()));
    await trial.expectNoWrongZeros();
  });
});
