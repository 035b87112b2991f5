/** Trials of faults: queues whose history is known, what is scaled on them, and what must never have happened. */
import { expect } from 'chai';
import { freePort } from '../free-port.ts';
import { seededRandom } from '../seeded-random.ts';
import { until } from '../until.ts';
import { ControlPlane } from './control-plane.ts';
import { workload } from './manifests.ts';
import { installScaler } from './operator.ts';
import { QueueServer } from './queue-server.ts';
import { QueueHistory, scaleWritesOf } from './scale-record.ts';
import { jobsOf, scaledJob, untilJobs } from './scaled-jobs.ts';
import { replicasOf, scaledObject } from './scaler-objects.ts';

/** What has been decided may be carried out so much later. */
const FRESH_MS = 2500;

/** What a trial does at random is the same for the same seed. */
export const SEED = Number(process.env['TSPROV_TEST_SEED'] ?? Date.now() % 100_000);

export class FaultTrial {
  readonly plane: ControlPlane;
  /** To which the Service of the metrics API leads. */
  readonly port: number;
  readonly queues = new QueueServer();
  readonly history = new QueueHistory(this.queues);
  readonly random = seededRandom(SEED);
  readonly #cooldownSeconds: number;
  #begunMs = Date.now();

  private constructor(plane: ControlPlane, port: number, cooldownSeconds: number) {
    this.plane = plane;
    this.port = port;
    this.#cooldownSeconds = cooldownSeconds;
  }

  /** On a control plane of its own. @param port Where the metrics API will be, if that is known. */
  static async start(cooldownSeconds: number, port?: number): Promise<FaultTrial> {
    const plane = await ControlPlane.start();
    const trial = new FaultTrial(plane, port ?? (await freePort()), cooldownSeconds);
    await installScaler(plane, trial.port);
    await trial.queues.start();
    return trial;
  }

  async stop(): Promise<void> {
    await this.queues.stop();
    await this.plane.stop();
  }

  /** What has happened before does not count. */
  begin(): void {
    this.#begunMs = Date.now();
  }

  /** Makes a workload of no replicas and the ScaledObject that scales it on the queue of its name. */
  async make(name: string, source = this.queues, metadata: object = {}): Promise<void> {
    const behavior = { scaleDown: { stabilizationWindowSeconds: 0 } };
    const spec = {
      advanced: { horizontalPodAutoscalerConfig: { behavior } },
      cooldownPeriod: this.#cooldownSeconds,
      triggers: [source.trigger(name)],
    };
    const object = scaledObject(name, spec, metadata);
    await this.plane.apply(workload('Deployment', name, 0), object);
  }

  /** Makes a ScaledJob whose Jobs never end: there are to be as many as there is work. */
  async makeJobs(name: string, metadata: object = {}): Promise<void> {
    const triggers = [this.queues.trigger(name, { targetValue: '1' })];
    const spec = { maxReplicaCount: 1000, triggers };
    await this.plane.apply(scaledJob(name, spec, metadata));
  }

  /** Work comes for a ScaledJob. */
  addWork(name: string, count: number): void {
    this.history.set(name, (this.queues.lengths.get(name) ?? 0) + count);
  }

  /** Waits for every Job, and sees that none is made twice. */
  async expectJobs(name: string): Promise<void> {
    const wanted = this.queues.lengths.get(name) ?? 0;
    await untilJobs(this.plane, name, wanted);
    await this.queues.untilAsked(name, 3);
    expect(await jobsOf(this.plane, name), name).to.have.length(wanted);
  }

  async untilAwake(name: string): Promise<void> {
    await until(
      async () => (await replicasOf(this.plane, 'deployment', name)) > 0,
      () => `${name} sleeps`,
    );
  }

  /** Work that lasts so long is seen: a longer gap between two polls begins a cooldown anew. */
  get unseenMs(): number {
    return Math.max(2, this.#cooldownSeconds / 2) * 1000;
  }

  /** No workload was sent to sleep that had work which must have been seen in its cooldown, says the audit log. */
  async expectNoWrongZeros(): Promise<void> {
    const writes = scaleWritesOf(await this.plane.auditLog());
    const zeros = writes.filter(({ replicas, atMs }) => replicas === 0 && atMs >= this.#begunMs);
    expect(zeros.filter(({ name, atMs }) => !this.#isRight(name, atMs))).to.deep.equal([]);
  }

  /** Whether there was a moment at which a zero could be decided that was written then. */
  #isRight(name: string, writtenMs: number): boolean {
    const oldestMs = writtenMs - FRESH_MS;
    const changes = this.history.changesBetween(name, oldestMs, writtenMs);
    const cooldownMs = this.#cooldownSeconds * 1000;
    return [oldestMs, ...changes.flatMap((atMs) => [atMs - 1, atMs]), writtenMs].some(
      (atMs) =>
        !this.history.isBusy(name, atMs) &&
        this.history.longestWork(name, atMs - cooldownMs, atMs) <= this.unseenMs,
    );
  }
}
