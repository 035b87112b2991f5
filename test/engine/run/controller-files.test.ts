import { expect } from 'chai';
import { makeWorld, type PlayedHere, playHere, type World } from '../../support/play-here.ts';

const COPY = `
    - name: Copy
      copy: {src: made/app.conf, dest: '{{ playbook_dir }}/copied'}
    - name: Template
      template: {src: made/app.conf, dest: '{{ playbook_dir }}/rendered'}
`;

/** What may make a file on the controller, as a task, and what a check run then names. */
const MAKERS = {
  'a task on the controller that copies it': [
    "copy: {content: x, dest: '{{ playbook_dir }}/made/app.conf'}\n      delegate_to: localhost",
    /made\/app\.conf/,
  ],
  'a command on the controller': [
    "command: touch '{{ playbook_dir }}/made/app.conf'\n      delegate_to: localhost",
    /command touch/,
  ],
  'fetch, which brings it from a host': [
    "fetch: {src: /etc/hostname, dest: '{{ playbook_dir }}/made/app.conf', flat: true}",
    /fetch/,
  ],
} as const;

describe('files of the controller in a check run', () => {
  let world: World;
  afterEach(() => world.remove());

  it('fails where the tasks before it do not make one', async () => {
    const played = await check("file: {path: '{{ playbook_dir }}/other', state: directory}");
    expect(played.failures[0]).to.include('could not find or access');
  });

  for (const [maker, [task, source]] of Object.entries(MAKERS)) {
    it(`is not known after ${maker}`, async () => {
      const played = await check(task);
      expect(played.failures).to.deep.equal([]);
      for (const title of ['Copy', 'Template'])
        expect(played.result(title))
          .to.deep.include({ changed: true })
          .and.property('msg')
          .match(source);
    });
  }

  async function check(task: string): Promise<PlayedHere> {
    world = makeWorld({
      'made/other.conf': 'x',
      'play.yaml': `
- hosts: all
  gather_facts: false
  tasks:
    - name: Before
      ${task}
${COPY}`,
    });
    return await playHere(world, {
      flags: { check: true, inventory: ['localhost,'], connection: 'local' },
    });
  }
});
