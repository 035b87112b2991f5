import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { runScaler } from '../../support/scaler/scaler-program.ts';

const OBJECT = `apiVersion: scaler.tsprov.dev/v1alpha1
kind: ScaledObject
metadata: { name: orders }
spec:
  scaleTargetRef: { name: orders }
  triggers: [{ type: kubernetes-workload, metadata: { podSelector: app=shop, value: "10" } }]
`;
const CRON = OBJECT.replace(
  /triggers:.*/,
  'triggers: [{ type: cron, metadata: { timezone: UTC, start: 0 8 * * *, end: 0 18 * * *, desiredReplicas: "5" } }]',
);
const VALUES = 'time,kubernetes-workload\n0,0\n1m,30\n2m,30\n';

describe('tsprov-scaler simulate', () => {
  let folder = '';
  before(() => {
    folder = mkdtempSync(join(tmpdir(), 'tsprov-simulate-'));
    const again = OBJECT.replaceAll('name: orders', 'name: again');
    writeFileSync(join(folder, 'one.yaml'), OBJECT);
    writeFileSync(join(folder, 'two.yaml'), `${OBJECT}---\n${again}`);
    writeFileSync(join(folder, 'bad.yaml'), OBJECT.replace('value', 'vlaue'));
    writeFileSync(join(folder, 'cron.yaml'), CRON);
    writeFileSync(join(folder, 'values.csv'), VALUES);
    writeFileSync(join(folder, 'bad.csv'), VALUES.replace('30', 'many'));
    writeFileSync(join(folder, 'other.csv'), VALUES.replace('kubernetes-workload', 'queue'));
  });
  after(() => rmSync(folder, { recursive: true }));
  const simulate = (...args: string[]) => runScaler(['simulate', ...args], { cwd: folder });

  const FORMS = [
    ['table', /^1m00s {2}operator {2}0 → 1 /m],
    ['csv', /^60,3,3,30$/m],
    ['svg', /^<svg .*\n<title>orders<\/title>/],
  ] as const;
  for (const [form, expected] of FORMS) {
    it(`shows the replicas as ${form}`, async () => {
      const { stdout, stderr } = await simulate('one.yaml', '--values', 'values.csv', '-o', form);
      expect(stdout, stderr).to.match(expected);
    });
  }

  it('needs no values where only the clock matters, and counts days', async () => {
    const { stdout, stderr } = await simulate(
      ...['cron.yaml', '--start', '2026-01-02T00:00:00Z', '--duration', '3d', '-o', 'csv'],
    );
    const replicas = new Map(
      stdout.split('\n').map((line) => line.split(',').map(Number) as [number, number]),
    );
    const day = 86_400;
    expect(replicas.get(2 * day + 9 * 3600), stderr).to.equal(5);
    expect(replicas.get(2 * day + 19 * 3600)).to.equal(0);
    expect(replicas.get(3 * day)).to.equal(0);
  });

  it('reads the standard input, and one of several objects', async () => {
    const { stdout } = await runScaler(
      ['simulate', 'two.yaml', '--name', 'again', '--values', '-', '--replicas', '2'],
      { cwd: folder, input: VALUES },
    );
    expect(stdout).to.match(/^0s +operator +2 → 0 /m);
  });

  const FAILURES: readonly (readonly [code: number, args: readonly string[], message: string])[] = [
    [2, ['bad.yaml', '--values', 'values.csv'], 'did you mean "value"?'],
    [1, ['one.yaml'], 'what kubernetes-workload would say only values tell: give --values'],
    [2, ['one.yaml', '--values', 'bad.csv'], 'bad.csv:3:1  "many" is no number'],
    [
      1,
      ['one.yaml', '--values', 'other.csv'],
      'no column kubernetes-workload or s0 (there are queue)',
    ],
    [1, ['two.yaml', '--values', 'values.csv'], 'choose with --name: orders, again'],
    [1, ['one.yaml', '--name', 'x', '--values', 'values.csv'], 'has no ScaledObject "x"'],
    [2, ['one.yaml', '--values', 'values.csv', '--sync-period', '0'], 'Write at least 1s.'],
  ];
  for (const [code, args, message] of FAILURES) {
    it(`says what is wrong: ${args.join(' ')}`, async () => {
      const result = await simulate(...args);
      expect(result.stderr).to.contain(message);
      expect(result.code).to.equal(code);
    });
  }
});
