import { expect } from 'chai';
import type { RunEvent } from '../../../src/engine/run/events.ts';
import { makeWorld, playHere } from '../../support/play-here.ts';

const handlers = (role: string) => `
- {name: ring, debug: {msg: ${role}}}
- {name: same, listen: topic, debug: {msg: ${role}}}
- {name: "{{ role_name }} by name", debug: {msg: ${role}}}
`;
const FILES = {
  'roles/one/handlers/main.yml': handlers('one'),
  'roles/one/tasks/main.yml': '[]\n',
  'roles/two/handlers/main.yml': handlers('two'),
  'roles/two/tasks/main.yml': '[]\n',
  'collections/ansible_collections/ns/col/roles/three/handlers/main.yml': handlers('three'),
  'collections/ansible_collections/ns/col/roles/three/tasks/main.yml': '[]\n',
};

/** Handlers that run when names or topics are notified. */
async function rung(play: Record<string, unknown>, notify: string): Promise<string[]> {
  return titles(await eventsOf(play, notify));
}

async function eventsOf(play: Record<string, unknown>, notify: string) {
  const post_tasks = [{ command: 'true', notify }];
  const text = JSON.stringify([{ hosts: 'all', gather_facts: false, ...play, post_tasks }]);
  const world = makeWorld({ ...FILES, 'play.yaml': text });
  try {
    return (await playHere(world)).events;
  } finally {
    world.remove();
  }
}

function titles(events: readonly RunEvent[]): string[] {
  return events.flatMap((event) =>
    event.type === 'result' && event.task.handler ? [event.task.title] : [],
  );
}

describe('handlers of roles', () => {
  const own = [{ name: 'ring', listen: 'topic', debug: { msg: 'own' } }];
  const roles = ['one', 'two'];
  const imported = [{ import_role: { name: 'one' } }];
  const included = [{ include_role: { name: 'one' } }];
  const WISHES: Readonly<
    Record<string, readonly [Record<string, unknown>, string, readonly string[]]>
  > = {
    'hear a topic by the name of the role': [{ roles }, 'one : topic', ['one : same']],
    'of collections hear a topic by the full name of the role': [
      { roles: ['ns.col.three'] },
      'ns.col.three : topic',
      ['ns.col.three : same'],
    ],
    'of collections hear a topic by the short name of the role': [
      { roles: ['ns.col.three'] },
      'three : topic',
      ['ns.col.three : same'],
    ],
    'of one name hear a topic once': [{ roles }, 'topic', ['two : same']],
    'are known by names with variables of the role': [
      { roles },
      'one by name',
      ['one : one by name'],
    ],
    'are hidden by those of the play': [{ roles, handlers: own }, 'ring', ['ring']],
    'of imported roles hide those of the play': [
      { tasks: imported, handlers: own },
      'ring',
      ['one : ring'],
    ],
    'of included roles hide those of the play': [
      { tasks: included, handlers: own },
      'ring',
      ['one : ring'],
    ],
  };
  for (const [what, [play, notify, titles]] of Object.entries(WISHES)) {
    it(what, async () => {
      expect(await rung(play, notify)).to.deep.equal(titles);
    });
  }

  for (const module of ['include_role', 'import_role']) {
    it(`cannot be ${module}`, async () => {
      const handler = { name: 'ring', [module]: { name: 'one' } };
      const refused = await rung({ handlers: [handler] }, 'ring').catch(String);
      expect(refused).to.contain(`${module} cannot be a handler`);
    });
  }
});

describe('handlers of a play', () => {
  const called = (title: string, more: Record<string, unknown> = {}) => ({
    name: title,
    command: 'true',
    ...more,
  });

  it('hear every name of a list', async () => {
    const handlers = [called('one'), called('two'), called('three')];
    const tasks = [called('task', { notify: ['three', 'one'] })];
    expect(await rung({ handlers, tasks }, 'two')).to.deep.equal(['one', 'three', 'two']);
  });

  it('hear a topic as it is written, without a template', async () => {
    const handlers = [
      { ...called('one'), listen: '{{ topic }}' },
      { ...called('two'), listen: ['{{ topic }}', 'reload'] },
    ];
    const play = { handlers, vars: { topic: 'reload' } };
    expect(await rung(play, 'reload')).to.deep.equal(['two']);
    expect(await rung(play, '{% raw %}{{ topic }}{% endraw %}')).to.deep.equal(['one', 'two']);
  });

  it('whose names cannot be rendered are warned of once, unless they listen', async () => {
    const handlers = [
      { ...called('{{ missing }}') },
      { ...called('{{ missing }} too'), listen: 'reload' },
    ];
    const tasks = [called('task', { notify: 'reload' })];
    const events = await eventsOf({ handlers, tasks }, 'reload');
    const said = events.flatMap((event) => (event.type === 'warning' ? [event.text] : []));
    expect(said.filter((text) => text.includes('unusable'))).to.have.lengthOf(1);
    expect(said.join()).to.include("Handler '{{ missing }}' is unusable");
  });

  it('that flush handlers fail', async () => {
    const handlers = [{ name: 'flush', meta: 'flush_handlers' }];
    const events = await eventsOf({ handlers }, 'flush');
    const said = events.flatMap((event) =>
      event.type === 'result' ? [event.info.result.get('msg')] : [],
    );
    expect(said).to.include('flush_handlers cannot be used as a handler');
  });

  it('that a later handler notifies run at the next flush', async () => {
    const handlers = [
      called('early'),
      called('late', { notify: ['last', 'early'] }),
      called('last'),
    ];
    const tasks = [called('task', { notify: 'late' })];
    expect(await rung({ handlers, tasks }, 'last')).to.deep.equal([
      'late',
      'last',
      'early',
      'last',
    ]);
  });
});
