import { execFileSync } from 'node:child_process';
import { expect } from 'chai';
import { runScaler } from '../../support/scaler/scaler-program.ts';

describe('tsprov-scaler completion', () => {
  it('completes commands and options in bash', async () => {
    const { stdout } = await runScaler(['completion', 'bash']);
    const complete = (...words: readonly string[]) => {
      const line = words.map((word) => `'${word}'`).join(' ');
      const script = `${stdout}\nCOMP_WORDS=(${line}) COMP_CWORD=${words.length - 1}\n_tsprov_scaler\nprintf '%s\\n' "\${COMPREPLY[@]}"`;
      return execFileSync('bash', ['-c', script], { encoding: 'utf8' }).trim().split('\n');
    };
    expect(complete('tsprov-scaler', 'sim')).to.deep.equal(['simulate']);
    expect(complete('tsprov-scaler', 'simulate', '--val')).to.deep.equal(['--values']);
    expect(complete('tsprov-scaler', 'validate', '--str')).to.deep.equal(['--strict']);
  });

  for (const [shell, expected] of [
    ['zsh', /^autoload .*bashcompinit[\s\S]*complete .* _tsprov_scaler tsprov-scaler$/m],
    ['fish', /^complete -c tsprov-scaler .* -a simulate /m],
  ] as const) {
    it(`prints a script for ${shell}`, async () => {
      expect((await runScaler(['completion', shell])).stdout).to.match(expected);
    });
  }
});
