/** The objects of test/support/keda, beside what KEDA 2.21.0 made of them on such a control plane. */
import { readFileSync } from 'node:fs';
import type { Server } from 'node:http';
import { expect } from 'chai';
import { ControlPlane } from '../support/cluster/control-plane.ts';
import { Operator } from '../support/cluster/operator.ts';
import { needControlPlane } from '../support/cluster/requirements.ts';
import { compareOutcomes, type Difference } from '../support/keda/compare.ts';
import { DIFFERENCES, differenceOf, seriesDifferenceOf } from '../support/keda/differences.ts';
import {
  applyObjects,
  lookAt,
  type Outcome,
  seriesOf,
  startSource,
} from '../support/keda/trial.ts';
import { until } from '../support/until.ts';

const readLines = (name: string) => readFileSync(`test/keda/${name}`, 'utf8').trim().split('\n');

describe('Objects of all kinds, as KEDA has them', () => {
  const recorded = readLines('objects.jsonl').map((line): Outcome => JSON.parse(line));
  const series = readLines('series.txt');
  const rows = readFileSync('docs/differences-keda.md', 'utf8');
  const used = new Set<string>();
  let plane: ControlPlane;
  let operator: Operator;
  let source: Server;

  before(async function () {
    await needControlPlane(this);
    source = await startSource();
    plane = await ControlPlane.start();
    const args = ['--cluster-object-namespace', 'keda'];
    operator = await Operator.start(plane, { compatibility: 'keda', args });
    await applyObjects(plane);
  });

  after(async () => {
    await operator?.stop();
    await plane?.stop();
    source?.close();
  });

  /** Whether a row of docs/differences-keda.md has the difference. */
  const isTold = (id: string | undefined): boolean => {
    if (id === undefined || !rows.includes(`| \`${id}\` |`)) return false;
    used.add(id);
    return true;
  };

  it(`have the same HPAs, statuses and conditions (${recorded.length})`, async () => {
    let found: readonly Difference[] = [];
    await until(
      async () => {
        const ours = new Map((await lookAt(plane)).map((each) => [each.name, each]));
        found = recorded
          .flatMap((outcome) => compareOutcomes(outcome, ours.get(outcome.name)))
          .filter((difference) => !isTold(differenceOf(difference)));
        return found.length === 0;
      },
      () => found,
    );
  });

  it(`have the same series for Prometheus (${series.length})`, async () => {
    let missing: readonly string[] = [];
    await until(
      async () => {
        const ours = new Set(seriesOf(await operator.metrics()));
        missing = series
          .filter((each) => !ours.has(each))
          .filter((each) => !isTold(seriesDifferenceOf(each)));
        return missing.length === 0;
      },
      () => missing,
    );
  });

  it('differ for every cause that is told', () => {
    expect([...used].sort()).to.deep.equal([...DIFFERENCES].sort());
  });
});
