import { createHash } from 'node:crypto';
import type { Controller, Reader } from '../../../engine/module.ts';
import { type Cluster, Clusters } from './cluster.ts';
import { ClusterHost } from './cluster-host.ts';
import { type Connection, readConnection } from './connection.ts';
import { type ConnectionArgs, connectionArgs } from './connection-args.ts';
import { readEnvironment, withEnvironment } from './environment.ts';

/**
 * Opens the cluster that a task means, or gives the one that an earlier task of the run has opened. Nothing is sent to
 * it yet.
 *
 * Which one it is follows kubernetes.core: arguments, then `K8S_AUTH_…` of the environment, then the kubeconfig. Server
 * and credentials that are given in full need no kubeconfig. What lies on the host is read once, and again after something
 * on it has changed.
 * @throws {TaskError} where there is no such kubeconfig or context, or it is malformed.
 */
export async function openCluster(
  reader: Reader,
  controller: Controller,
  args: ConnectionArgs,
): Promise<Cluster> {
  const host = new ClusterHost(reader, controller);
  const given = ofConnection(args);
  const connection = await reader.recall(`cluster ${digest(given)}`, () =>
    connectionOf(reader, host, given),
  );
  const scope = host.isLocal ? '' : reader.name;
  const cluster = await Clusters.of(controller).obtain(digest([scope, connection]), async () => {
    // Loaded with the first cluster: most plays have none.
    const { connect } = await import('./connect.ts');
    return connect(connection, host);
  });
  cluster.host.lookThrough(reader);
  return cluster;
}

async function connectionOf(
  reader: Reader,
  host: ClusterHost,
  args: ConnectionArgs,
): Promise<Connection> {
  const environment = await readEnvironment(reader);
  return readConnection(host, withEnvironment(args, environment), environment);
}

/** Without what modules take beside: tasks that lead to the same cluster are to share it. */
function ofConnection(args: ConnectionArgs): ConnectionArgs {
  const given = Object.entries(args).filter(([name]) => Object.hasOwn(connectionArgs, name));
  return Object.fromEntries(given) as ConnectionArgs; // Its members and no others.
}

/** Of what may hold secrets. */
function digest(data: unknown): string {
  return createHash('sha256').update(JSON.stringify(data)).digest('hex');
}
