/** `tsprov-scaler explain`: why an object is at its count. */
import { Command } from 'commander';
import { ApiClient } from '../../../kubernetes/api-client.ts';
import { patientClock } from '../../../kubernetes/clock.ts';
import { Discovery } from '../../../kubernetes/discovery.ts';
import { readAccess } from '../../../kubernetes/kubeconfig.ts';
import { ScaleClient } from '../../../kubernetes/scale-client.ts';
import { InvalidInput } from '../../../shared/errors.ts';
import type { StoredHpa } from '../../controller/ports.ts';
import { hpaNameOf } from '../../decide/hpa.ts';
import { namesFor } from '../../names.ts';
import { pathOf } from '../../resources/resource.ts';
import { type ScaledObject, scaledObject } from '../../resources/scaled-object.ts';
import { version } from '../../version.ts';
import { type ExplainInput, explain, renderExplanation } from '../explain.ts';
import { addCompatibility, type CompatibilityFlags, outputOption } from '../options.ts';

interface Flags extends CompatibilityFlags {
  readonly kubeconfig?: string;
  readonly context?: string;
  readonly namespace?: string;
  readonly output: 'text' | 'json';
}

const HPAS = { group: 'autoscaling', version: 'v2', resource: 'horizontalpodautoscalers' };

export function explainCommand(): Command {
  const command = new Command()
    .description('Say why a ScaledObject is at its count: triggers, decision, HPA.')
    .argument('<name>', 'of the ScaledObject')
    .option('-n, --namespace <name>', 'its namespace (default: that of the context)')
    .option('--kubeconfig <file>', 'how to reach the cluster (default: KUBECONFIG, else the pod)')
    .option('--context <name>', 'context of the kubeconfig')
    .addOption(outputOption(['text', 'json']));
  return addCompatibility(command).action(async (name: string, flags: Flags) => {
    const explanation = explain(await gather(name, flags));
    const isJson = flags.output === 'json';
    process.stdout.write(
      isJson ? `${JSON.stringify(explanation, undefined, 2)}\n` : renderExplanation(explanation),
    );
  });
}

async function gather(name: string, flags: Flags): Promise<ExplainInput> {
  const names = namesFor(flags.compat);
  const access = await readAccess({ kubeconfig: flags.kubeconfig, context: flags.context });
  const userAgent = `${names.manager}-explain/${version()}`;
  const client = new ApiClient({ access, userAgent, clock: patientClock });
  try {
    const namespace = flags.namespace ?? access.namespace ?? 'default';
    const path = { ...pathOf(scaledObject, names), namespace, name };
    const object = await client.find<ScaledObject>(path);
    if (object === undefined) {
      throw InvalidInput.at(
        undefined,
        `there is no ScaledObject ${namespace}/${name}`,
        'name its namespace with -n',
      );
    }
    const hpaPath = {
      ...HPAS,
      namespace,
      name: object.status?.hpaName ?? hpaNameOf(object, names),
    };
    const [hpa, replicas] = await Promise.all([
      client.find<StoredHpa>(hpaPath),
      readReplicas(client, object, namespace),
    ]);
    return { object, hpa, replicas, names, nowMs: Date.now() };
  } finally {
    await client.close();
  }
}

async function readReplicas(
  client: ApiClient,
  { spec }: ScaledObject,
  namespace: string,
): Promise<ExplainInput['replicas']> {
  const { apiVersion = 'apps/v1', kind = 'Deployment', name } = spec.scaleTargetRef;
  try {
    const found = await new Discovery(client).resolveScalable(apiVersion, kind);
    const { replicas } = await new ScaleClient(client).get({ ...found, namespace, name });
    return replicas;
  } catch (error) {
    return { error: (error as Error).message };
  }
}
