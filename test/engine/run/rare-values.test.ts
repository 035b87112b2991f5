import { expect } from 'chai';
import { makeWorld, playHere, type World } from '../../support/play-here.ts';

/** Plays that real Ansible accepts, though few people write them: files, and the messages of their debug tasks. */
const CASES: Readonly<Record<string, { files: Record<string, string>; messages: string[] }>> = {
  'a name in set_fact that is a template': {
    files: {
      'play.yaml': `
- hosts: all
  gather_facts: false
  vars: {prefix: web}
  tasks:
    - set_fact: "{{ prefix }}_port=80"
    - debug: {msg: "{{ web_port }}"}
`,
    },
    messages: ['80'],
  },
  'a timeout longer than a timer can count': {
    files: {
      'play.yaml': `
- hosts: all
  gather_facts: false
  tasks:
    - debug: {msg: done}
      timeout: 100000000
`,
    },
    messages: ['done'],
  },
  'a text with an explicit tag that is a template': {
    files: {
      'play.yaml': `
- hosts: all
  gather_facts: false
  tasks:
    - debug: {msg: !!str "{{ 1 + 1 }} cores"}
`,
    },
    messages: ['2 cores'],
  },
  'a failure that is judged by the number of attempts': {
    files: {
      'play.yaml': `
- hosts: all
  gather_facts: false
  tasks:
    - command: 'true'
      register: tried
      until: not tried.failed
      failed_when: tried.attempts < 2
      changed_when: tried.attempts == 2
      retries: 3
      delay: 0
    - debug: {msg: "{{ tried.attempts }} {{ tried.failed }} {{ tried.changed }}"}
`,
    },
    messages: ['', '2 False True'],
  },
  'omit as the value of a keyword of the play': {
    files: {
      'play.yaml': `
- hosts: all
  gather_facts: false
  serial: "{{ omit }}"
  tasks:
    - debug: {msg: done}
`,
    },
    messages: ['done'],
  },
  'names of imported files from variables of the role and of blocks': {
    files: {
      'play.yaml': `
- hosts: all
  gather_facts: false
  roles: [parts]
  tasks:
    - vars: {part: block}
      block:
        - import_tasks: "{{ playbook_dir }}/{{ part }}.yaml"
`,
      'block.yaml': '- debug: {msg: from the block}\n',
      'roles/parts/defaults/main.yaml': 'part: default\n',
      'roles/parts/vars/main.yaml': 'other: vars\n',
      'roles/parts/tasks/main.yaml': `
- import_tasks: "{{ part }}.yaml"
- import_tasks: "{{ role_path }}/tasks/{{ other }}.yaml"
`,
      'roles/parts/tasks/default.yaml': '- debug: {msg: from defaults}\n',
      'roles/parts/tasks/vars.yaml': '- debug: {msg: from vars}\n',
    },
    messages: ['from defaults', 'from vars', 'from the block'],
  },
};

describe('values that few people write', () => {
  let world: World;
  afterEach(() => world.remove());

  for (const [title, { files, messages }] of Object.entries(CASES)) {
    it(`accepts ${title}`, async () => {
      world = makeWorld(files);
      const played = await playHere(world, { flags: HERE });
      expect(played.failures).to.deep.equal([]);
      const shown = played.events.flatMap((event) =>
        event.type === 'result' ? [event.info.result.get('msg')] : [],
      );
      expect(shown.filter((message) => message !== undefined)).to.deep.equal(messages);
    });
  }

  it('shows the result of an item in the label of the item', async () => {
    world = makeWorld({
      'play.yaml': `
- hosts: all
  gather_facts: false
  tasks:
    - debug: {msg: "hello {{ item }}"}
      loop: [a, b]
      loop_control: {label: "{{ item }}: {{ said.msg }}"}
      register: said
`,
    });
    const played = await playHere(world, { flags: HERE });
    const labels = played.events.flatMap((event) =>
      event.type === 'item' ? [event.info.label] : [],
    );
    expect(labels).to.deep.equal(['a: hello a', 'b: hello b']);
  });

  for (const keyword of ['run_once', 'throttle']) {
    it(`fails the task on each host where ${keyword} is undefined`, async () => {
      world = makeWorld({
        'play.yaml': `
- hosts: all
  gather_facts: false
  tasks:
    - debug: {msg: hello}
      ${keyword}: "{{ nothing }}"
      ignore_errors: true
    - debug: {msg: later}
`,
      });
      const played = await playHere(world, { flags: { ...HERE, inventory: ['a,b'] } });
      const failed = played.events.filter((event) => event.type === 'result' && event.info.ignored);
      expect(failed).to.have.length(2);
      expect(played.failures).to.deep.equal([]);
    });
  }
});

const HERE = { inventory: ['localhost,'], connection: 'local' };
