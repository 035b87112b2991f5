/**
 * Module k8s beside kubernetes.core: the same playbooks on an equal control plane. What the real one answers is recorded in
 * `k8s/*.jsonl`: kubernetes.core 6.2.0 (of ansible 12.3.0) on ansible-core 2.19 with kubernetes 37.0.2 for Python, against
 * Kubernetes 1.34.
 */
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect } from 'chai';
import { ControlPlane } from '../support/cluster/control-plane.ts';
import { type PlayedTask, playFile } from '../support/cluster/k8s-play.ts';
import { needControlPlane } from '../support/cluster/requirements.ts';

const FOLDER = join(import.meta.dirname, 'k8s');
const NAMESPACE = 'twin';

/** Members that are new each time, that the controllers write meanwhile, or that are worded otherwise on purpose. */
const VOLATILE = new Set([
  ...['uid', 'resourceVersion', 'creationTimestamp', 'managedFields', 'generation', 'duration'],
  ...['clusterIP', 'clusterIPs', 'deletionTimestamp', 'deletionGracePeriodSeconds', 'status'],
  ...['invocation', 'exception', 'failed', 'diff', 'msg'],
  'deployment.kubernetes.io/revision',
]);

/** What differs on purpose, with the members that do; the ids are of docs/differences.md. */
const DIFFERENCES: Readonly<Record<string, readonly [id: string, ...members: string[]]>> = {
  'deleting without a name': ['k8s-nothing-named', 'warnings'],
  'deleting with options and waiting': ['k8s-delete-options', 'result'],
};

interface Recorded {
  readonly task: string;
  readonly status: string;
  readonly result: Readonly<Record<string, unknown>>;
}

/** What both engines play: without check mode, then in it over objects that are there. */
const PLAYS: Readonly<Record<string, { file: string; recording: string; words: string[] }>> = {
  'plays the same tasks': { file: 'play.yaml', recording: 'kubernetes-core.jsonl', words: [] },
  'checks the same tasks': {
    ...{ file: 'check.yaml', recording: 'kubernetes-core-check.jsonl' },
    words: ['--check'],
  },
};

describe('Module k8s beside kubernetes.core', () => {
  let plane: ControlPlane;

  before(async function () {
    await needControlPlane(this);
    plane = await ControlPlane.start();
  });
  after(() => plane?.stop());

  for (const [what, { file, recording, words }] of Object.entries(PLAYS)) {
    it(`${what} with the same outcome and the same results`, async () => {
      if (file === 'check.yaml') await prepare(plane);
      const recorded = await readRecording(recording);
      const variables = { ns: NAMESPACE, kubeconfig_path: plane.kubeconfigPath };
      const given = ['-e', JSON.stringify(variables), ...words];
      const { tasks: played } = await playFile(join(FOLDER, file), given);
      for (const [i, theirs] of recorded.entries()) {
        const [, ...ignored] = DIFFERENCES[theirs.task] ?? [];
        const ours = comparable(played[i], ignored);
        expect(ours, theirs.task).to.deep.equal(comparable(theirs, ignored));
      }
      expect(played).to.have.length(recorded.length);
    });
  }

  it('differs only where docs/differences.md says so', async () => {
    const text = await readFile(join(FOLDER, '../../../docs/differences.md'), 'utf8');
    for (const [id] of Object.values(DIFFERENCES)) expect(text).to.include(`| \`${id}\` |`);
  });
});

/** A namespace anew, with the objects that the check is about. */
async function prepare(plane: ControlPlane): Promise<void> {
  await plane.kubectl('delete', 'namespace', NAMESPACE, '--ignore-not-found');
  await plane.kubectl('create', 'namespace', NAMESPACE);
  const words = ['--server-side', '--field-manager=kubectl', '-f', join(FOLDER, 'prepare.yaml')];
  await plane.kubectl('-n', NAMESPACE, 'apply', ...words);
}

async function readRecording(name: string): Promise<readonly Recorded[]> {
  const text = await readFile(join(FOLDER, name), 'utf8');
  const lines = text.split('\n').filter(Boolean);
  return lines.map((line) => JSON.parse(line) as Recorded); // As it was recorded.
}

function comparable(
  task: Recorded | PlayedTask | undefined,
  ignored: readonly string[],
): Readonly<Record<string, unknown>> {
  const { status, result = {} } = task ?? {};
  const members = Object.entries(result).filter(([name]) => !ignored.includes(name));
  return { status, ...(plain(Object.fromEntries(members)) as object) };
}

/** Without what is volatile, and with the namespace by one name. */
function plain(value: unknown): unknown {
  if (typeof value === 'string') return value.replaceAll(NAMESPACE, 'NS');
  if (Array.isArray(value)) return value.map(plain);
  if (typeof value !== 'object' || value === null) return value;
  const members = Object.entries(value).filter(([name]) => !VOLATILE.has(name));
  return Object.fromEntries(
    members.map(([name, each]) => [name.replaceAll(NAMESPACE, 'NS'), plain(each)]),
  );
}
