import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, existsSync, readFileSync, rmSync } from 'node:fs';
import { expect } from 'chai';
import { stringify } from 'yaml';
import { makeWorld, type World } from '../support/play-here.ts';
import { mustRun } from '../support/run-command.ts';
import { tsprovProgram } from '../support/tsprov.ts';
import { until } from '../support/until.ts';

const FOREVER = 100_000;

/** Tasks that go on for ever, by what they are at. */
const WAITING: Readonly<Record<string, object>> = {
  'a command': { command: `sleep ${FOREVER}` },
  'reading what never ends': { slurp: { src: 'FOLDER/fifo' } },
  'gathering facts': { setup: { fact_path: 'FOLDER/facts', gather_timeout: FOREVER } },
  'a hash of a password': { debug: { msg: "{{ 'x' | password_hash(rounds=999999999) }}" } },
  'a hash by bcrypt': { debug: { msg: "{{ 'x' | password_hash('bcrypt', rounds=30) }}" } },
  'a command that is tried again': { command: 'false', until: false, retries: 9, delay: FOREVER },
  'a loop that never waits': { debug: null, loop: '{{ range(1000000) | list }}', when: 'item < 0' },
  'a pause between items': { debug: null, loop: [1, 2], loop_control: { pause: FOREVER } },
  'a pause': { pause: { seconds: FOREVER } },
  'waiting for a port': { wait_for: { port: 1, timeout: FOREVER } },
};

/** Tasks during which a process hears nothing. */
const DEAF: Readonly<Record<string, object>> = {
  'a command of a lookup': { debug: { msg: `{{ lookup('pipe', 'exec sleep 60') }}` } },
  'a file that never ends': { debug: { msg: "{{ lookup('file', 'FOLDER/fifo') }}" } },
};

/** Command lines that wait for a script of the user, which has children of its own. */
const SCRIPTS: Readonly<Record<string, readonly string[]>> = {
  'an inventory script of a play': ['play', '-i', 'SCRIPT', 'none.yaml'],
  'an inventory script that is shown': ['inventory', '-i', 'SCRIPT', '--list'],
  'a vault password script': ['run', 'here', '-i', 'here,', '-m', 'ping', '--vault-id', 'SCRIPT'],
  'a vault password script to encrypt with': [
    'vault',
    'encrypt_string',
    'x',
    '--vault-id',
    'SCRIPT',
  ],
};

describe('an interrupt', () => {
  let world: World;

  before(async () => {
    world = makeWorld();
    await mustRun('mkfifo', [world.path('fifo')]);
    world.write({ 'facts/slow.fact': `#!/bin/sh\nexec sleep ${FOREVER}\n` });
    chmodSync(world.path('facts/slow.fact'), 0o755);
  });
  after(() => world.remove());

  const interrupted = async (task: object, signal: NodeJS.Signals) => {
    const play = [{ hosts: 'all', gather_facts: false, tasks: [{ name: 'endless', ...task }] }];
    world.write({ 'play.yaml': stringify(play).replaceAll('FOLDER', world.directory) });
    const args = ['play', world.path('play.yaml'), '-i', 'here,', '-c', 'local'];
    return interruptedWhen((stdout) => stdout.includes('TASK [endless]'), args, signal);
  };

  for (const signal of ['SIGINT', 'SIGTERM'] as const) {
    for (const [what, task] of Object.entries(WAITING)) {
      it(`by ${signal} ends ${what} in order`, async () => {
        const { code, stdout } = await interrupted(task, signal);
        expect(code).to.equal(99);
        expect(stdout).to.include('PLAY RECAP');
      });
    }

    for (const [what, task] of Object.entries(DEAF)) {
      it(`by ${signal} ends ${what}, though nobody hears it`, async () => {
        const { code } = await interrupted(task, signal);
        expect(code).to.equal(99);
      });
    }

    for (const [what, args] of Object.entries(SCRIPTS)) {
      it(`by ${signal} ends ${what}, with what that has started`, async () => {
        const script = writeScript();
        const words = args.map((word) => word.replace('SCRIPT', script));
        const { code } = await interruptedWhen(() => existsSync(`${script}.pids`), words, signal);
        expect(code).to.equal(99);
        const pids = readFileSync(`${script}.pids`, 'utf8').trim().split(' ').map(Number);
        expect(pids).to.have.length(2);
        const left = () => pids.filter(isAlive);
        await until(() => left().length === 0, left);
      });
    }
  }

  /** A script that never ends and hears no SIGTERM; it writes down its process and one that it has started. */
  function writeScript(): string {
    const lines = [
      '#!/bin/sh',
      "trap '' TERM INT",
      `sleep ${FOREVER} &`,
      'echo "$$ $!" > "$0.new"',
      'mv "$0.new" "$0.pids"',
      'wait',
    ];
    rmSync(world.path('hanging.sh.pids'), { force: true });
    world.write({ 'hanging.sh': `${lines.join('\n')}\n` });
    chmodSync(world.path('hanging.sh'), 0o755);
    return world.path('hanging.sh');
  }
});

/** Interrupts a command line when it has come so far. */
async function interruptedWhen(
  isThere: (stdout: string) => boolean,
  args: readonly string[],
  signal: NodeJS.Signals,
) {
  const child = spawn(process.execPath, [await tsprovProgram(), ...args]);
  let stdout = '';
  const ended = once(child, 'close');
  child.stdout.on('data', (chunk: Buffer) => {
    stdout += chunk.toString();
  });
  await until(
    () => isThere(stdout),
    () => stdout,
  );
  child.kill(signal);
  const [code] = (await ended) as [number]; // What close reports.
  return { code, stdout };
}

function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
}
