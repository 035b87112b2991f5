/** A cluster of one node, whose pods really run. */
import { mkdir, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { freePort } from '../free-port.ts';
import { mustRun } from '../run-command.ts';
import { ControlPlane, type ControlPlaneOptions } from './control-plane.ts';
import { kubeBinaries, NODE_COMMANDS } from './kube-binaries.ts';
import { startMetricsServer } from './metrics-server.ts';
import { Node } from './node.ts';
import { ServerProcess } from './server-process.ts';

export class PodCluster {
  readonly plane: ControlPlane;
  readonly #node: Node;
  readonly #servers: ServerProcess[] = [];

  private constructor(plane: ControlPlane, node: Node) {
    this.plane = plane;
    this.#node = node;
  }

  /** Starts a control plane, a node that is ready, a scheduler and the metrics server, in some fifteen seconds. */
  static async start(options: ControlPlaneOptions = {}): Promise<PodCluster> {
    const binaries = await kubeBinaries(NODE_COMMANDS);
    const node = await Node.create(binaries);
    let plane: ControlPlane;
    try {
      plane = await ControlPlane.start({ ...options, address: node.gateway });
    } catch (error) {
      await node.stop();
      throw error;
    }
    const cluster = new PodCluster(plane, node);
    try {
      await cluster.#begin(binaries);
    } catch (error) {
      await cluster.stop();
      throw error;
    }
    return cluster;
  }

  async #begin(binaries: string): Promise<void> {
    await this.#node.join(this.plane);
    const scheduler = await schedulerOf(this.plane, binaries, this.#node.folder);
    this.#servers.push(scheduler);
    await scheduler.start();
    this.#servers.push(await startMetricsServer(this.plane, this.#node.folder));
  }

  /** The volume by which pods see a folder of files. */
  volume(folder: string) {
    return { name: 'files', hostPath: { path: this.#folderOf(folder), type: 'DirectoryOrCreate' } };
  }

  /** Writes a file, whole or not at all, into a folder of files. */
  async write(folder: string, file: string, text = ''): Promise<void> {
    await mkdir(this.#folderOf(folder), { recursive: true });
    const path = join(this.#folderOf(folder), file);
    const unfinished = `${this.#folderOf(folder)}.new`;
    await writeFile(unfinished, text);
    await rename(unfinished, path);
  }

  /** Removes a file out of a folder of files. */
  async remove(folder: string, file: string): Promise<void> {
    await rm(join(this.#folderOf(folder), file));
  }

  #folderOf(name: string): string {
    return join(this.#node.folder, 'files', name);
  }

  /** Where containerd of the node listens, as this machine sees it. */
  get containerdSocket(): string {
    return this.#node.containerdSocket;
  }

  /** Kills containerd of the node, which comes back; the containers go on. */
  restartContainerd(): Promise<void> {
    return this.#node.restartContainerd();
  }

  async stop(): Promise<void> {
    await Promise.all(this.#servers.map((server) => server.stop('SIGKILL')));
    await this.#node.stop();
    await this.plane.stop();
  }
}

async function schedulerOf(
  plane: ControlPlane,
  binaries: string,
  folder: string,
): Promise<ServerProcess> {
  const port = await freePort();
  const kubeconfig = await plane.kubeconfigFor('system:kube-scheduler');
  return new ServerProcess({
    name: 'kube-scheduler',
    file: join(binaries, 'kube-scheduler'),
    args: [
      ...['kubeconfig', 'authentication-kubeconfig', 'authorization-kubeconfig'].map(
        (option) => `--${option}=${kubeconfig}`,
      ),
      '--leader-elect=false',
      '--bind-address=127.0.0.1',
      `--secure-port=${port}`,
    ],
    log: join(folder, 'scheduler.log'),
    isReady: async () =>
      (await mustRun('curl', ['-fsSk', `https://127.0.0.1:${port}/healthz`])) === 'ok',
  });
}
