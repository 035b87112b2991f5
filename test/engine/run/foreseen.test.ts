import { expect } from 'chai';
import { sourceWorld } from '../../support/chains/source-world.ts';
import { type PlayedHere, playHere, type World } from '../../support/play-here.ts';

interface Case {
  readonly title: string;
  readonly tasks: string;
  /** Tasks that are changed for certain. */
  readonly changed?: readonly string[];
  /** Tasks of which a check run cannot know. */
  readonly unknown?: readonly string[];
  readonly skipped?: readonly string[];
}

/** Where a run succeeds, its check has to succeed too: these tasks build on each other. */
const CASES: readonly Case[] = [
  {
    title: 'becomes a user that is to be made',
    tasks: `
- { name: user, user: { name: tsprov-nobody-yet } }
- { name: file, copy: { content: x, dest: '{{ dir }}/f' }, become: true, become_user: tsprov-nobody-yet }
- { name: mode, file: { path: '{{ dir }}/f', mode: '0600' } }
- { name: read, slurp: { src: '{{ dir }}/f' }, become: true, become_user: tsprov-nobody-yet }`,
    changed: ['user'],
    unknown: ['file', 'mode', 'read'],
  },
  {
    title: 'writes below the home directory of a user that is to be made',
    tasks: `
- { name: user, user: { name: tsprov-nobody-yet, home: '{{ dir }}/home', generate_ssh_key: true } }
- { name: own, copy: { content: x, dest: ~tsprov-nobody-yet/f, owner: tsprov-nobody-yet } }
- { name: keys, copy: { content: x, dest: '{{ dir }}/home/.ssh/authorized_keys' } }
- { name: directory, file: { path: '{{ dir }}/home/.ssh', state: directory, mode: '0700' } }
- { name: key, slurp: { src: '{{ dir }}/home/.ssh/id_rsa.pub' } }
- { name: gone, user: { name: tsprov-nobody-yet, state: absent, remove: true } }
- { name: home, file: { path: '{{ dir }}/home', state: absent } }`,
    changed: ['user', 'own', 'keys', 'gone'],
    unknown: ['key'],
  },
  {
    title: 'goes on with what comes out of an archive of the controller',
    tasks: `
- { name: unpack, unarchive: { src: deep.tgz, dest: '{{ dir }}' } }
- { name: beside, copy: { content: x, dest: '{{ dir }}/sub/new' } }
- { name: there, file: { path: '{{ dir }}/sub', state: directory } }
- { name: again, unarchive: { src: deep.tgz, dest: '{{ dir }}' } }
- { name: mode, file: { path: '{{ dir }}/sub/deep', mode: '0600' } }`,
    changed: ['unpack', 'beside', 'mode'],
    unknown: [],
  },
  {
    title: 'goes on with what comes out of an archive that is to be brought',
    tasks: `
- { name: bring, copy: { src: deep.tgz, dest: '{{ dir }}/a.tgz' } }
- { name: unpack, unarchive: { src: '{{ dir }}/a.tgz', dest: '{{ dir }}', remote_src: true } }
- { name: beside, copy: { content: x, dest: '{{ dir }}/sub/new' } }
- { name: line, lineinfile: { path: '{{ dir }}/sub/deep', line: x } }`,
    changed: ['bring', 'unpack'],
    unknown: ['beside', 'line'],
  },
  {
    title: 'takes it that a command makes what it says',
    tasks: `
- { name: make, command: mkdir -p d/e, args: { chdir: '{{ dir }}', creates: d/e } }
- { name: again, command: mkdir -p d/e, args: { chdir: '{{ dir }}', creates: d/e } }
- { name: above, file: { path: '{{ dir }}/d', state: directory } }
- { name: below, copy: { content: x, dest: '{{ dir }}/d/e/f' } }
- { name: clean, command: 'rm -r {{ dir }}/d', args: { removes: '{{ dir }}/d' } }`,
    changed: ['make'],
    unknown: ['above', 'below', 'clean'],
  },
  {
    title: 'does not trust the output of what it has not run',
    tasks: `
- { name: run, command: 'echo {}', register: out }
- { name: parse, set_fact: { a: '{{ (out.stdout | from_json).a }}' } }
- { name: claim, assert: { that: "'a' in out.stdout" } }
- { name: loop, debug: { msg: '{{ item }}' }, loop: '{{ (out.stdout | from_json).a }}' }
- { name: made, tempfile: { state: directory }, register: temporary }
- { name: inside, copy: { content: x, dest: '{{ temporary.path }}/f' } }
- { name: until, command: echo x, register: x, until: "'x' in x.stdout", delay: 1 }
- { name: judged, command: 'sh -c "echo x; touch f"', args: { chdir: '{{ dir }}', creates: f }, register: y, failed_when: "'x' not in y.stdout" }`,
    unknown: ['parse', 'claim', 'loop', 'inside', 'judged'],
    skipped: ['run', 'made', 'until'],
  },
];

describe('a check run of tasks that build on each other', () => {
  let world: World;

  beforeEach(() => {
    world = sourceWorld();
  });
  afterEach(() => world.remove());

  for (const { title, tasks, changed = [], unknown = [], skipped } of CASES) {
    it(title, async () => {
      const check = await play(tasks);
      expect(check.failures).to.deep.equal([]);
      const { unsure, sure } = tasksOf(check);
      expect(unsure, 'unknown').to.deep.equal(unknown);
      expect(sure, 'changed').to.deep.equal(changed);
      if (skipped !== undefined) expect(skippedIn(check), 'skipped').to.deep.equal(skipped);
    });
  }

  function play(tasks: string): Promise<PlayedHere> {
    world.write({
      'play.yaml': `- hosts: all\n  gather_facts: false\n  tasks:${tasks.replaceAll('\n', '\n    ')}\n`,
      'work/.keep': '',
    });
    return playHere(world, { flags: { check: true, extraVars: [`dir=${world.path('work')}`] } });
  }
});

function tasksOf({ events }: PlayedHere) {
  const results = events.flatMap((event) => (event.type === 'result' ? [event] : []));
  const titles = (wanted: typeof results) => wanted.map(({ task }) => task.title);
  return {
    unsure: titles(results.filter(({ info }) => info.unknown !== undefined)),
    sure: titles(
      results.filter(({ info }) => info.unknown === undefined && info.status === 'changed'),
    ),
  };
}

function skippedIn({ events }: PlayedHere): string[] {
  return events.flatMap((event) =>
    event.type === 'result' && event.info.status === 'skipped' ? [event.task.title] : [],
  );
}
