import { execFileSync } from 'node:child_process';
import { expect } from 'chai';
import { makeWorld, playHere, type World } from '../../support/play-here.ts';
import { makeUser, type TestUser } from '../../support/users.ts';

describe('changing an account that tasks have become before', () => {
  let world: World;
  let user: TestUser;

  before(() => {
    world = makeWorld();
    user = makeUser();
  });
  after(() => {
    execFileSync('sh', ['-c', 'groupdel tsprov-later 2>/dev/null || true']);
    user.remove();
    world.remove();
  });

  it('succeeds, and tasks after it have the new groups', async () => {
    world.write({
      'play.yaml': `
- hosts: all
  gather_facts: false
  become: true
  become_method: su
  tasks:
    - { name: before, command: id -Gn, become_user: ${user.name} }
    - { name: group, group: { name: tsprov-later } }
    - { name: moved, user: { name: ${user.name}, home: /nonexistent/home, create_home: false, groups: tsprov-later } }
    - { name: after, command: id -Gn, become_user: ${user.name} }
`,
    });
    const played = await playHere(world);
    expect(played.failures).to.deep.equal([]);
    expect(played.result('before')['stdout']).not.to.include('tsprov-later');
    expect(played.result('after')['stdout']).to.include('tsprov-later');
  });
});

describe('the password of an account in a check run', () => {
  const TASKS = [
    { password: '$6$salt$hash', password_expire_max: 90, expires: 1893456000 },
    { password_lock: true },
    { password_lock: true },
    { password: '$6$salt$hash' },
    { password_lock: false, password_expire_max: 90 },
    { password: '$6$salt$other', password_lock: true },
    { password: '$6$salt$other', password_lock: true, expires: 1893456000 },
  ];
  const CHANGES = [true, true, false, false, true, true, false];

  it('is what the tasks before would have set', async () => {
    const name = 'tsprov-not-there';
    const tasks = TASKS.map((args, i) => ({
      name: `task ${i}`,
      user: { name, create_home: false, ...args },
    }));
    const world = makeWorld({
      'play.yaml': JSON.stringify([{ hosts: 'all', gather_facts: false, tasks }]),
    });
    const { result } = await playHere(world, { flags: { check: true } }).finally(() =>
      world.remove(),
    );
    const changes = tasks.map((task) => result(task.name)['changed']);
    expect(changes).to.deep.equal(CHANGES);
  });
});
