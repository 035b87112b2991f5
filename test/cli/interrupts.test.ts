import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync } from 'node:fs';
import { expect } from 'chai';
import { stringify } from 'yaml';
import { makeWorld, type World } from '../support/play-here.ts';
import { mustRun } from '../support/run-command.ts';
import { tsprovProgram } from '../support/tsprov.ts';

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
    const child = spawn(process.execPath, [await tsprovProgram(), ...args]);
    let stdout = '';
    const ended = once(child, 'close');
    await new Promise<void>((resolve) => {
      child.stdout.on('data', (chunk: Buffer) => {
        stdout += chunk.toString();
        if (stdout.includes('TASK [endless]')) resolve();
      });
    });
    child.kill(signal);
    const [code] = (await ended) as [number]; // What close reports.
    return { code, stdout };
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
  }
});
