import { expect } from 'chai';
import type { TaskError } from '../../src/engine/module.ts';
import { type LocalHost, openLocalHost } from '../support/local-host.ts';
import { RealHost } from '../support/real-host.ts';

type Members = Readonly<Record<string, unknown>>;

/** What really comes out of the modules that run commands, on every shell. */
const CASES: readonly [title: string, module: string, args: Members, result: Members][] = [
  ['runs a program', 'command', { cmd: 'echo "a  b"' }, { stdout: 'a  b', rc: 0, changed: true }],
  [
    'expands a tilde and variables',
    'command',
    { cmd: 'echo ~/x $HOME/y $NOPE' },
    { stdout: 'HOME/x HOME/y $NOPE' },
  ],
  [
    'expands nothing on request',
    'command',
    { argv: ['echo', '$HOME', '~'], expand_argument_vars: false },
    { stdout: '$HOME ~' },
  ],
  [
    'has no shell syntax',
    'command',
    { cmd: 'echo a; echo b | cat > x && `id` $(id) *' },
    { stdout: 'a; echo b | cat > x && `id` $(id) *' },
  ],
  [
    'runs no built-in',
    'command',
    { cmd: 'cd /' },
    { failed: true, rc: 2, msg: 'Error executing command.' },
  ],
  [
    'does not find a missing program',
    'command',
    { cmd: 'nope-such' },
    { failed: true, rc: 2, stderr: '' },
  ],
  [
    'does not run what is not executable',
    'command',
    { cmd: '/etc/passwd' },
    { failed: true, rc: 13 },
  ],
  [
    'keeps an exit code of 127',
    'shell',
    { cmd: 'echo x; exit 127' },
    { failed: true, rc: 127, stdout: 'x' },
  ],
  [
    'passes standard input on',
    'command',
    { cmd: 'cat', stdin: 'a $HOME\n%s \\n', strip_empty_ends: false },
    { stdout: 'a $HOME\n%s \\n\n' },
  ],
  ['has an empty standard input otherwise', 'command', { cmd: 'cat' }, { stdout: '', rc: 0 }],
  ['runs in a directory', 'shell', { cmd: 'pwd', chdir: '/usr/bin' }, { stdout: '/usr/bin' }],
  [
    'keeps the two outputs apart',
    'shell',
    { cmd: 'echo a; echo b >&2; exit 3' },
    { failed: true, rc: 3, stdout: 'a', stderr: 'b', msg: 'non-zero return code' },
  ],
  [
    'does not see the variables of its own script',
    'shell',
    { cmd: 'set | grep -c ^_ts_' },
    { failed: true, stdout: '0' },
  ],
  [
    'is not fooled by output like its own record',
    'shell',
    { cmd: 'printf "\\ntsprov-run:1|2|2"' },
    { rc: 0, stdout: '\ntsprov-run:1|2|2' },
  ],
  [
    'matches wildcards of creates',
    'command',
    { cmd: 'false', creates: '/etc/pass*', chdir: '/' },
    { changed: false, stdout: 'skipped, since /etc/pass* exists' },
  ],
  [
    'takes strange characters of creates as they are',
    'command',
    { cmd: 'true', creates: '/etc/$(id)`id`"\'*' },
    { changed: true, rc: 0 },
  ],
  ['runs a line as it is', 'raw', { cmd: 'echo "$((1 + 1))"' }, { stdout: '2\n', changed: true }],
];

for (const toolset of ['gnu', 'busybox'] as const) {
  describe(`commands with the tools of ${toolset}`, () => {
    let host: LocalHost;
    before(async () => {
      host = await openLocalHost(toolset);
    });
    after(() => host.close());

    for (const [title, module, args, wanted] of CASES) {
      it(`${title} (${module})`, async () => {
        const text = JSON.stringify(wanted).replaceAll(/(?<!\$)HOME/g, host.home);
        const want = JSON.parse(text) as Members; // It was an object.
        expect(await outcome(host, module, args)).to.deep.include(want);
      });
    }

    it('tells when the command ran and how long', async () => {
      const result = await outcome(host, 'command', { cmd: 'true' });
      for (const time of [result['start'], result['end']]) {
        expect(time).to.match(/^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d(\.\d{6})?$/);
      }
      expect(result['delta']).to.match(/^0:00:0\d(\.\d{6})?$/);
    });
  });
}

async function outcome(host: LocalHost, module: string, args: Members): Promise<Members> {
  try {
    return (await new RealHost(host.connection, host.environment).play(module, args)).result;
  } catch (error) {
    const { message: msg, result } = error as TaskError; // Anything else has no result to look at.
    return { failed: true, msg, ...result };
  }
}
