import { existsSync, readFileSync } from 'node:fs';
import { expect } from 'chai';
import { stringify } from 'yaml';
import { exitCodeOf } from '../../../src/cli/exit-codes.ts';
import type { RunEvent } from '../../../src/engine/run/events.ts';
import { freePort } from '../../support/free-port.ts';
import { makeWorld, type PlayedHere, playHere, type World } from '../../support/play-here.ts';
import { needSshd, type Sshd, startSshd } from '../../support/sshd.ts';
import { writeSshdInventory } from '../../support/sshd-inventory.ts';
import { makeUser } from '../../support/users.ts';

describe(`a host that is lost`, () => {
  let sshd: Sshd;
  let world: World;

  before(async function () {
    needSshd(this);
    sshd = await startSshd();
  });
  after(() => sshd?.stop());
  beforeEach(() => {
    world = makeWorld();
  });
  afterEach(() => world.remove());

  it('before a task has written anything is reached again, once, and the task is done', async () => {
    const path = world.path('file');
    const tasks = [
      { name: 'first', raw: 'true' },
      { name: 'copy', copy: { content: 'whole\n', dest: path } },
      { name: 'stat', stat: { path } },
    ];
    const played = await play(tasks, dropAfter('first'));
    expect(played.failures).to.deep.equal([]);
    expect(readFileSync(path, 'utf8')).to.equal('whole\n');
    expect(exitCodeOf(played.summary)).to.equal(0);
  });

  it('while a command runs is unreachable: nobody knows what was done', async () => {
    const marker = world.path('started');
    const tasks = [
      { name: 'long', shell: `touch ${marker}; sleep 20; echo x >> ${marker}` },
      { name: 'after', command: 'true' },
    ];
    const playing = play(tasks);
    while (!existsSync(marker)) await new Promise((done) => setImmediate(done));
    sshd.dropSessions();
    const played = await playing;
    expect(played.failures).to.have.length(1);
    expect(played.results('after')).to.deep.equal([]);
    expect(played.summary.stats.get('node')).to.include({ unreachable: 1, failed: 0 });
    expect(exitCodeOf(played.summary)).to.equal(4);
    expect(readFileSync(marker, 'utf8')).to.equal('');
  });

  it('at the first task is unreachable: neither rescue nor always runs, other hosts go on', async () => {
    const port = await freePort();
    const block = {
      block: [{ name: 'try', command: 'true' }],
      rescue: [{ name: 'rescue', debug: {} }],
      always: [{ name: 'always', debug: {} }],
    };
    const inventory = {
      all: { hosts: { gone: gone(port), here: { ansible_connection: 'local' } } },
    };
    world.write({ 'hosts.yaml': stringify(inventory) });
    const played = await playOn(world.path('hosts.yaml'), [block]);
    expect(
      played
        .results('try')
        .map(({ info }) => `${info.host} ${info.status}`)
        .sort(),
    ).to.deep.equal(['gone unreachable', 'here changed']);
    expect(played.results('rescue')).to.deep.equal([]);
    expect(played.results('always').map(({ info }) => info.host)).to.deep.equal(['here']);
    expect(exitCodeOf(played.summary)).to.equal(4);
    expect(played.failures.join()).to.include(`127.0.0.1:${port}`);
  });

  it('may be passed over with ignore_unreachable, and is tried again by the next task', async () => {
    const inventory = { all: { hosts: { gone: gone(await freePort()) } } };
    world.write({ 'hosts.yaml': stringify(inventory) });
    const tasks = [
      { name: 'first', command: 'true', ignore_unreachable: true, register: 'tried' },
      { name: 'second', debug: { msg: '{{ tried.unreachable }}' } },
      { name: 'third', command: 'true', ignore_unreachable: true },
    ];
    const played = await playOn(world.path('hosts.yaml'), tasks);
    expect(played.result('second')['msg']).to.equal(true);
    expect(played.result('third')).to.include({ unreachable: true });
  });

  it('has not played a role whose tasks it was not reached for', async () => {
    const inventory = {
      all: { hosts: { gone: gone(await freePort()), here: { ansible_connection: 'local' } } },
    };
    const role = '- {name: try, command: "true", ignore_unreachable: true}\n';
    world.write({ 'hosts.yaml': stringify(inventory), 'roles/tried/tasks/main.yml': role });
    const play = { hosts: 'all', gather_facts: false, roles: ['tried', 'tried'] };
    world.write({ 'play.yaml': stringify([play]) });
    const played = await playHere(world, { flags: { inventory: [world.path('hosts.yaml')] } });
    const hosts = played.results('tried : try').map(({ info }) => info.host);
    expect(hosts.sort()).to.deep.equal(['gone', 'gone', 'here']);
  });

  it('is none where only sudo is refused: the task fails and says why', async () => {
    const user = makeUser();
    try {
      const inventory = writeSshdInventory(world, sshd, { user: user.name });
      const tasks = [{ name: 'id', command: 'id -un', become: true }];
      const played = await playOn(inventory, tasks);
      expect(played.failures.join()).to.match(/^node: .*(sudo|password)/i);
      expect(played.summary.stats.get('node')).to.include({ failed: 1, unreachable: 0 });
    } finally {
      user.remove();
    }
  });

  const gone = (port: number) => ({
    ansible_host: '127.0.0.1',
    ansible_port: port,
    ansible_timeout: 5,
  });

  const dropAfter = (title: string) => (event: RunEvent) => {
    if (event.type === 'result' && event.task.title === title) sshd.dropSessions();
  };

  function play(tasks: readonly object[], listen?: (event: RunEvent) => void): Promise<PlayedHere> {
    return playOn(writeSshdInventory(world, sshd), tasks, listen);
  }

  function playOn(
    inventory: string,
    tasks: readonly object[],
    listen: (event: RunEvent) => void = () => {},
  ): Promise<PlayedHere> {
    world.write({ 'play.yaml': stringify([{ hosts: 'all', gather_facts: false, tasks }]) });
    return playHere(world, { flags: { inventory: [inventory] }, listen });
  }
});
