import { TaskError } from '../../../engine/module.ts';
import type { Cluster } from './cluster.ts';
import { clusterError } from './cluster-error.ts';
import type { K8sArgs } from './k8s-args.ts';

/** Throws TaskError where definitions are to be checked against another version than that of the cluster. */
export async function expectVersion(
  cluster: Cluster,
  { validate }: Pick<K8sArgs, 'validate'>,
): Promise<void> {
  if (validate?.version === undefined) return;
  const asked = cluster.client.getRaw<{ readonly gitVersion: string }>('/version');
  const { gitVersion } = await asked.catch(async (error: unknown) => {
    throw await clusterError(error, cluster);
  });
  const short = (version: string) => version.replace(/^v/, '').split('.').slice(0, 2).join('.');
  if (short(validate.version) === short(gitVersion)) return;
  throw new TaskError(
    `validate.version is ${validate.version}, and the API server, which checks the definition, is ${gitVersion}`,
    { hint: 'leave validate.version out' },
  );
}
