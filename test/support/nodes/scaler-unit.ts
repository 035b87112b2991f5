import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ControlPlane } from '../cluster/control-plane.ts';
import { workload } from '../cluster/manifests.ts';
import { QueueServer } from '../cluster/queue-server.ts';
import { scaledObject, untilReplicas } from '../cluster/scaler-objects.ts';
import { publishNodejs } from '../releases/nodejs.ts';
import { type ReleaseServer, startReleaseServer } from '../releases/release-server.ts';
import type { TestNode } from './node.ts';
import { giveAdminKubeconfig, ScalerPlays } from './scaler-node.ts';

const WORKER = 'worker';

interface UnitOptions {
  readonly nodes: readonly TestNode[];
  /** Of this machine, where the nodes reach it. */
  readonly address: string;
  /** More variables of the plays. */
  readonly variables?: Readonly<Record<string, unknown>>;
}

interface Parts extends Pick<UnitStage, 'folder' | 'plane' | 'plays'> {
  readonly address: string;
  readonly server: ReleaseServer;
}

/** What nodes need that run the operator as a unit: a control plane of this machine, releases, and a queue to scale by. */
export class UnitStage {
  readonly plane: ControlPlane;
  readonly plays: ScalerPlays;
  /** Gets what the plays write, and is removed in the end. */
  readonly folder: string;
  readonly #address: string;
  readonly #server: ReleaseServer;
  readonly #queues = new QueueServer();

  private constructor({ folder, plane, plays, address, server }: Parts) {
    this.folder = folder;
    this.plane = plane;
    this.plays = plays;
    this.#address = address;
    this.#server = server;
  }

  static async start({ nodes, address, variables = {} }: UnitOptions): Promise<UnitStage> {
    const folder = await mkdtemp(join(tmpdir(), 'tsprov-scaler-'));
    const server = await startReleaseServer();
    await publishNodejs(server);
    const plane = await ControlPlane.start({ address });
    for (const node of nodes) await giveAdminKubeconfig(node, plane, address);
    const plays = new ScalerPlays({ nodes, folder, releases: server.url, variables });
    const stage = new UnitStage({ folder, plane, plays, address, server });
    await stage.#queues.start(address);
    return stage;
  }

  /** Makes a workload without replicas, which the operator scales by the length of a queue. */
  async addWorkload(): Promise<void> {
    const url = `http://${this.#address}:${this.#queues.port}/${WORKER}`;
    const triggers = [this.#queues.trigger(WORKER, { url })];
    await this.plane.apply(workload('Deployment', WORKER, 0), scaledObject(WORKER, { triggers }));
  }

  /** Gives the queue each of these lengths, and waits every time until the workload has the replicas that go with it. */
  async followsQueue(...steps: readonly (readonly [length: number, replicas: number])[]) {
    for (const [length, replicas] of steps) {
      this.#queues.lengths.set(WORKER, length);
      await untilReplicas(this.plane, WORKER, replicas);
    }
  }

  async stop(): Promise<void> {
    await this.#queues.stop();
    await this.plane.stop();
    await this.#server.close();
    await rm(this.folder, { recursive: true, force: true });
  }
}
