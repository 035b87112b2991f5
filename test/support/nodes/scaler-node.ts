/** Nodes that run the operator as a unit. */
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { ControlPlane } from '../cluster/control-plane.ts';
import { type PlayRun, playOn } from '../play-on.ts';
import { NODEJS_VERSION } from '../releases/nodejs.ts';
import type { TestNode } from './node.ts';

/** Where a container node sees the machine that runs it. */
export function machineSeenFrom({ address }: TestNode): string {
  return address.replace(/\.\d+$/, '.1');
}

/** Writes `/etc/kubernetes/admin.conf`, as kubeadm leaves it, for the control plane at that address. */
export async function giveAdminKubeconfig(
  node: TestNode,
  plane: ControlPlane,
  address: string,
): Promise<void> {
  const server = `https://${address}:${plane.server.port}`;
  const path = await plane.kubeconfigFor('admin', ['system:masters'], server);
  const config = JSON.parse(await readFile(path, 'utf8'));
  const [{ cluster }] = config.clusters;
  const ca = await readFile(cluster['certificate-authority']);
  delete cluster['certificate-authority'];
  cluster['certificate-authority-data'] = ca.toString('base64');
  const base64 = Buffer.from(JSON.stringify(config)).toString('base64');
  const { code, stderr } = await node.exec(
    `mkdir -p /etc/kubernetes && umask 077 && echo ${base64} | base64 -d > /etc/kubernetes/admin.conf`,
  );
  if (code !== 0) throw new Error(`the kubeconfig cannot be written: ${stderr}`);
}

export const UNIT = 'tsprov-scaler.service';

/** What systemd knows of the unit. */
export async function propertiesOf(node: TestNode): Promise<Readonly<Record<string, string>>> {
  const { stdout } = await node.exec(
    `systemctl show -p ActiveState,UnitFileState,NRestarts,MainPID ${UNIT}`,
  );
  return Object.fromEntries(
    stdout
      .trim()
      .split('\n')
      .map((line) => line.split('=', 2)),
  );
}

/** Whether the operator of a node knows its cluster and serves. */
export async function isReady(node: TestNode): Promise<boolean> {
  const ask = `fetch("http://127.0.0.1:10480/readyz").then((a) => process.exit(a.ok ? 0 : 1), () => process.exit(1))`;
  return (await node.exec(`/opt/tsprov/node/bin/node --eval '${ask}'`)).code === 0;
}

/** What an operator that is gone has left, a line each. */
export async function leftOn(node: TestNode): Promise<string> {
  const { stdout } = await node.exec(
    'ls -A /etc/tsprov-scaler /opt/tsprov /var/lib/tsprov/releases /etc/systemd/system 2>/dev/null | grep -E "scaler|node"; systemctl list-units --plain --no-legend "tsprov*"',
  );
  return stdout;
}

interface Stage {
  readonly nodes: readonly TestNode[];
  /** Gets the inventory, the lock file and the cache of releases. */
  readonly folder: string;
  /** Base URL of a mirror of releases. */
  readonly releases: string;
  /** More variables. */
  readonly variables?: Readonly<Record<string, unknown>>;
}

/** Plays the playbooks of the scaler in the mode `systemd`. */
export class ScalerPlays {
  readonly #stage: Stage;

  constructor(stage: Stage) {
    this.#stage = stage;
  }

  install(args: readonly string[] = []): Promise<PlayRun> {
    return this.#play('install-scaler', args);
  }

  uninstall(args: readonly string[] = []): Promise<PlayRun> {
    return this.#play('uninstall-scaler', args);
  }

  async #play(name: string, args: readonly string[]): Promise<PlayRun> {
    const { nodes, folder, releases, variables } = this.#stage;
    const file = join(folder, 'variables.json');
    const all = {
      ...{ scaler_run_as: 'systemd', confirm: true, files_repo: releases },
      ...{ release_cache: join(folder, 'cache'), scaler_nodejs_version: NODEJS_VERSION },
      ...variables,
    };
    await writeFile(file, JSON.stringify(all));
    return playOn(nodes, folder, `playbooks/${name}.yaml`, ['-e', `@${file}`, ...args]);
  }
}
