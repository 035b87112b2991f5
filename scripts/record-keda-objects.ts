/**
 * Gives the objects of test/keda to KEDA and records what it makes of them:
 * `npx tsx scripts/record-keda-objects.ts OPERATOR FOLDER` with its built operator and the folder of its definitions.
 */
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { issueTestCertificate, makeTestAuthority } from '../test/support/certificates.ts';
import { ControlPlane } from '../test/support/cluster/control-plane.ts';
import { ServerProcess } from '../test/support/cluster/server-process.ts';
import { freePorts } from '../test/support/free-port.ts';
import { applyObjects, lookAt, seriesOf, startSource } from '../test/support/keda/trial.ts';

const [operator = '', definitions = ''] = process.argv.slice(2);
/** Every object is polled some times, and HPAs have been looked at. */
const SETTLING_MS = 100_000;

const folder = await mkdtemp(join(tmpdir(), 'keda-'));
const source = await startSource();
const plane = await ControlPlane.start({ hpaSyncPeriod: '15s' });
const keda = await startKeda();
try {
  await applyObjects(plane);
  await delay(SETTLING_MS);
  await record();
} finally {
  await keda.process.stop();
  await plane.stop();
  source.close();
  await rm(folder, { recursive: true });
}

async function startKeda() {
  const [metrics = 0, health = 0, service = 0] = await freePorts(3);
  await plane.kubectl('create', 'namespace', 'keda');
  await plane.kubectl('apply', '--server-side', '-f', definitions);
  await plane.untilServed('scaledobjects.keda.sh', 'scaledjobs.keda.sh');
  const authority = await makeTestAuthority('keda');
  const names = ['keda-operator', 'keda-operator.keda.svc', 'localhost'];
  const own = await issueTestCertificate(authority, { commonName: 'keda-operator', names });
  const files = { 'ca.crt': authority.cert, 'tls.crt': own.cert, 'tls.key': own.key };
  for (const [name, text] of Object.entries(files)) await writeFile(join(folder, name), text);
  const url = `http://127.0.0.1:${metrics}/metrics`;
  const process = new ServerProcess({
    name: 'keda-operator',
    file: operator,
    args: [
      `--kubeconfig=${plane.kubeconfigPath}`,
      ...[`--cert-dir=${folder}`, `--ca-dir=${folder}`, '--enable-cert-rotation=false'],
      ...['--enable-apiservice-patching=false', '--enable-webhook-patching=false'],
      `--metrics-bind-address=127.0.0.1:${metrics}`,
      `--health-probe-bind-address=127.0.0.1:${health}`,
      `--metrics-service-bind-address=127.0.0.1:${service}`,
      '--zap-log-level=error',
    ],
    env: {
      KUBECONFIG: plane.kubeconfigPath,
      POD_NAMESPACE: 'keda',
      WATCH_NAMESPACE: '',
      KEDA_CLUSTER_OBJECT_NAMESPACE: 'keda',
    },
    log: join(folder, 'operator.log'),
    isReady: async () => (await fetch(url).catch(() => undefined))?.ok === true,
  });
  await process.start();
  return { process, url };
}

async function record(): Promise<void> {
  const outcomes = await lookAt(plane);
  const lines = outcomes.map((outcome) => `${JSON.stringify(outcome)}\n`);
  await writeFile('test/keda/objects.jsonl', lines.join(''));
  const series = seriesOf(await (await fetch(keda.url)).text());
  await writeFile('test/keda/series.txt', `${series.join('\n')}\n`);
  process.stderr.write(await readFile(join(folder, 'operator.log'), 'utf8'));
}
