import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { runScaler } from '../../support/scaler/scaler-program.ts';

const GOOD = `apiVersion: scaler.tsprov.dev/v1alpha1
kind: ScaledObject
metadata: { name: orders }
spec:
  scaleTargetRef: { name: orders }
  triggers: [{ type: kubernetes-workload, metadata: { podSelector: app=shop, value: "5" } }]
`;
const BAD = GOOD.replace('podSelector', 'podSelctor');
const ODD = GOOD.replace('value:', 'somethingElse: x, value:');

describe('tsprov-scaler', () => {
  let folder = '';
  before(() => {
    folder = mkdtempSync(join(tmpdir(), 'tsprov-validate-'));
    writeFileSync(join(folder, 'good.yaml'), GOOD);
    writeFileSync(join(folder, 'keda.yaml'), GOOD.replace('scaler.tsprov.dev', 'keda.sh'));
    writeFileSync(join(folder, 'bad.yaml'), BAD);
    writeFileSync(join(folder, 'odd.yaml'), ODD);
  });
  after(() => rmSync(folder, { recursive: true }));
  const run = (...args: string[]) => runScaler(args, { cwd: folder });

  const CODES: readonly (readonly [code: number, why: string, args: readonly string[]])[] = [
    [0, 'manifests are fine', ['validate', 'good.yaml']],
    [0, 'there are only warnings', ['validate', 'odd.yaml']],
    [0, 'manifests are of KEDA and that is meant', ['validate', '--compat', 'keda', 'keda.yaml']],
    [0, 'help is asked for', ['--help']],
    [2, 'manifests are of KEDA', ['validate', 'keda.yaml']],
    [2, 'a manifest has problems', ['validate', 'good.yaml', 'bad.yaml']],
    [2, 'warnings are problems', ['validate', '--strict', 'odd.yaml']],
    [2, 'a directory has manifests with problems', ['validate', '.']],
    [2, 'an option is not known', ['validate', '--bogus', 'good.yaml']],
    [2, 'a command is not known', ['valdate']],
    [2, 'no file is named', ['validate']],
    [1, 'a file does not exist', ['validate', 'absent.yaml']],
  ];
  for (const [code, why, args] of CODES) {
    it(`exits with ${code} where ${why}`, async () => {
      const { code: exitCode, stderr } = await run(...args);
      expect(exitCode, stderr).to.equal(code);
    });
  }

  it('names file, line and column of a problem', async () => {
    const { stderr, stdout } = await run('validate', 'good.yaml', 'bad.yaml');
    expect(stdout).to.equal('');
    expect(stderr.split('\n')).to.include(
      'bad.yaml:6:55  ScaledObject orders: spec.triggers[0].metadata.podSelctor is not a parameter of this trigger (did you mean "podSelector"?)',
    );
  });

  it('reads the standard input', async () => {
    const { stderr } = await runScaler(['validate', '-'], { input: BAD });
    expect(stderr).to.match(/^<stdin>:6:\d+ {2}ScaledObject orders/m);
  });

  it('reports as JSON', async () => {
    const { stdout, code } = await run('validate', '--output', 'json', 'odd.yaml', 'bad.yaml');
    const report = JSON.parse(stdout);
    expect(code).to.equal(2);
    expect(report).to.include({ valid: false, checked: 2, others: 0 });
    expect(report.problems[0]).to.include({ file: 'bad.yaml', line: 6 });
    expect(report.warnings).to.have.length(1);
  });

  it('prints the definitions of its resources, in either group', async () => {
    const own = await run('crds');
    expect(own.stdout.match(/^ {2}name: \w+\.scaler\.tsprov\.dev$/gm)).to.have.length(4);
    const { items } = JSON.parse((await run('crds', '--compat', 'keda', '-o', 'json')).stdout);
    expect(items[0].metadata.name).to.equal('scaledobjects.keda.sh');
  });

  it('tells its version', async () => {
    expect((await run('--version')).stdout).to.match(/^\d+\.\d+\.\d+\n$/);
  });
});
