import { expect } from 'chai';
import { stringify } from 'yaml';
import { eventText } from '../../../src/cli/output/json-lines.ts';
import type { RunEvent } from '../../../src/engine/run/events.ts';
import { makeWorld, playHere, type World } from '../../support/play-here.ts';

const SECRET = 'correct horse battery staple';

describe('the plan of a task', () => {
  let world: World;
  let events: readonly RunEvent[];

  before(async () => {
    world = makeWorld({ 'note.j2': 'for {{ inventory_hostname }}\n', 'a.txt': 'a\n' });
    const at = (name: string) => world.path(`made/${name}`);
    const tasks = [
      { file: { path: world.path('made'), state: 'directory', mode: '0755' } },
      { copy: { src: 'a.txt', dest: at('copied') } },
      { template: { src: 'note.j2', dest: at('note') }, loop: [1, 2] },
      { lineinfile: { path: at('note'), line: 'more' } },
      { blockinfile: { path: at('note'), block: 'block' } },
      { user: { name: 'tsprov-nobody', password: SECRET, uid: 4_999 } },
      { group: { name: 'tsprov-nobody', gid: 4_999 } },
      { stat: { path: at('note') } },
      { copy: { content: SECRET, dest: at('hidden') }, no_log: true },
      { command: 'true' },
      { fail: { msg: 'on purpose' }, ignore_errors: true },
    ];
    const play = [{ hosts: 'all', gather_facts: false, tasks }];
    world.write({ 'play.yaml': stringify(play) });
    const flags = { inventory: ['localhost,'], connection: 'local', check: true, diff: true };
    ({ events } = await playHere(world, { flags }));
  });
  after(() => world.remove());

  it('is plain data: what it is after a way through JSON', () => {
    const plans = events.flatMap((event) =>
      event.type === 'result' || event.type === 'item' ? [event.info.plan] : [],
    );
    const made = plans.filter((plan) => plan !== undefined);
    expect(made).to.have.length.at.least(6);
    for (const plan of made) expect(JSON.parse(JSON.stringify(plan))).to.deep.equal(defined(plan));
  });

  it('comes with the place in the playbook that it is from', () => {
    for (const event of events) {
      if (event.type !== 'result') continue;
      expect(event.task.position.file).to.equal(world.path('play.yaml'));
      expect(event.task.position.line).to.be.greaterThan(3);
    }
  });

  it('is on one line of JSON with the rest of its event', () => {
    for (const event of events) {
      const line = eventText(event);
      expect(line).not.to.include('\n');
      expect(JSON.parse(line)).to.include({ _event: event.type });
    }
  });

  it('holds no secret, neither of an argument nor of a hidden task', () => {
    expect(events.map(eventText).join('\n')).not.to.include(SECRET);
  });
});

/** The data without members that are undefined: JSON has no word for these. */
function defined(data: unknown): unknown {
  if (Array.isArray(data)) return data.map(defined);
  if (typeof data !== 'object' || data === null) return data;
  expect(Object.getPrototypeOf(data), 'a plain object').to.equal(Object.prototype);
  const members = Object.entries(data).filter(([, value]) => value !== undefined);
  return Object.fromEntries(members.map(([name, value]) => [name, defined(value)]));
}
