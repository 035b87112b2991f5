import { hostname, userInfo } from 'node:os';
import { expect } from 'chai';
import { stringify } from 'yaml';
import { makeWorld, playHere, type World } from '../../support/play-here.ts';

const TEMPLATE = `{{ ansible_managed }}
{{ template_path }} {{ template_fullpath == playbook_dir ~ '/templates/t.j2' }}
{{ template_destpath | default('nowhere', true) | basename }}
{{ template_mtime.year > 2000 }} {{ template_run_date >= template_mtime }} {{ template_mtime | type_debug }}
{{ template_host }} {{ template_uid }}
`;
const OTHERS = `True True datetime\n${hostname()} ${userInfo().username}\n`;

describe('variables of template files', () => {
  let world: World;

  beforeEach(() => {
    world = makeWorld({ 'templates/t.j2': TEMPLATE });
  });
  afterEach(() => world.remove());

  it('tell the module and the lookup about the file', async () => {
    const [written, seen] = await render({});
    expect(written).to.equal(`Ansible managed\nt.j2 True\nout\n${OTHERS}`);
    expect(seen).to.equal(`Ansible managed\nt.j2 True\nnowhere\n${OTHERS}`);
  });

  it('leave an ansible_managed that somebody has set, which may read the others', async () => {
    const texts = await render({ ansible_managed: 'ours: {{ template_path }}', template_uid: 'x' });
    expect(texts.map((text) => text.split('\n')[0])).to.deep.equal(['ours: t.j2', 'ours: t.j2']);
    for (const text of texts) expect(text).to.include(OTHERS);
  });

  it('take ansible_managed from the configuration, filled in', async () => {
    world.write({ 'ansible.cfg': '[defaults]\nansible_managed = {file} {host} {uid} %% {{x}}\n' });
    const [text = ''] = await render({});
    const expected = `t.j2 ${hostname()} ${userInfo().username} % {x}`;
    expect(text.split('\n')[0]).to.equal(expected);
  });

  it('are known to Handlebars too', async () => {
    world.write({ 'templates/t.hbs': '{{ansible_managed}} {{template_path}} {{template_uid}}' });
    const [text] = await render({ ansible_managed: 'ours' }, 't.hbs');
    expect(text).to.equal(`ours t.hbs ${userInfo().username}`);
  });

  it('end a template that looks itself up', async () => {
    world.write({ 'templates/t.j2': "{{ lookup('template', 't.j2') }}" });
    const played = await play([{ debug: { msg: "{{ lookup('template', 't.j2') }}" } }]);
    expect(played.failures.join()).to.include('nested too deeply');
  });

  /** What the module writes, and what the lookup gives. */
  async function render(vars: Record<string, string>, src = 't.j2'): Promise<string[]> {
    const dest = world.path('out');
    const played = await play([
      { template: { src, dest }, vars },
      { name: 'written', slurp: { src: dest } },
      { name: 'seen', debug: { msg: "{{ lookup('template', 't.j2') }}" }, vars },
    ]);
    expect(played.failures).to.deep.equal([]);
    const written = Buffer.from(String(played.result('written')['content']), 'base64');
    return [written.toString('utf8'), String(played.result('seen')['msg'])];
  }

  function play(tasks: object[]) {
    const play = { hosts: 'a', connection: 'local', gather_facts: false, tasks };
    world.write({ 'play.yaml': stringify([play]) });
    const config = { directory: world.directory, environment: {}, home: world.directory };
    return playHere(world, { flags: { inventory: ['a,'] }, config });
  }
});
