import { cpSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'chai';
import { makeWorld, playHere, type World } from '../support/play-here.ts';
import { ROOT } from '../support/source-files.ts';

/** What each program says of itself; `true` says nothing. */
const GENUINE: Readonly<Record<string, string>> = {
  crictl: 'crictl version v1.30.1',
  nerdctl: 'nerdctl version 2.1.2',
  buildctl: 'buildctl github.com/moby/buildkit v0.22.0 abc',
  buildkitd: 'buildkitd github.com/moby/buildkit v0.22.0 abc',
};
const IMPOSTORS: readonly (readonly [string, string, string])[] = [
  ['crictl', '', 'crictl'],
  ['crictl', '1.30.1', 'crictl'],
  ['crictl', 'crictl version v1.30.10', 'crictl'],
  ['nerdctl', '', 'nerdctl'],
  ['nerdctl', '2.1.2', 'nerdctl'],
  ['nerdctl', 'true (GNU coreutils) 9.1', 'nerdctl'],
  ['buildctl', 'v0.22.0', 'BuildKit'],
  ['buildkitd', 'buildkitd github.com/moby/buildkit v0.21.0 abc', 'BuildKit'],
];

describe('what verify-node.yaml says of programs', () => {
  let world: World;
  beforeEach(() => {
    world = makeWorld({
      'play.yaml': `
- hosts: all
  gather_facts: false
  tasks:
    - include_role: {name: tools, tasks_from: verify}
    - name: rows
      debug: {var: node_checks}
`,
    });
    cpSync(join(ROOT, 'playbooks/roles'), world.path('roles'), { recursive: true });
    const tasks = world.path('roles/tools/tasks/verify.yml');
    const text = readFileSync(tasks, 'utf8').replace('/usr/local/bin', world.path('bin'));
    writeFileSync(tasks, text);
    mkdirSync(world.path('bin'));
  });
  afterEach(() => world.remove());

  it('passes those that say their own name and a version', async () => {
    expect(await failing(GENUINE)).to.deep.equal([]);
  });

  for (const [program, words, row] of IMPOSTORS) {
    it(`fails ${program} where it says "${words}"`, async () => {
      expect(await failing({ ...GENUINE, [program]: words })).to.deep.equal([row]);
    });
  }

  /** The rows of the programs that do not pass. */
  async function failing(programs: Readonly<Record<string, string>>): Promise<readonly string[]> {
    for (const [name, words] of Object.entries(programs)) {
      const script = words === '' ? '#!/bin/sh\n' : `#!/bin/sh\necho '${words}'\n`;
      writeFileSync(world.path(`bin/${name}`), script, { mode: 0o755 });
    }
    const rows = (await playHere(world)).result('rows')['node_checks'] as readonly {
      readonly check: string;
      readonly pass: boolean;
    }[]; // As the role makes them.
    const ofPrograms = rows.filter(({ check }) =>
      ['crictl', 'nerdctl', 'BuildKit'].includes(check),
    );
    expect(ofPrograms).to.have.length(3);
    return ofPrograms.filter(({ pass }) => !pass).map(({ check }) => check);
  }
});
