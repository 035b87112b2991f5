import { execFileSync } from 'node:child_process';
import { expect } from 'chai';
import { stringify } from 'yaml';
import { makeWorld, playHere } from '../../support/play-here.ts';

/** A project in which one variable may be set in many places. */
interface Project {
  readonly files: Record<string, Record<string, unknown>>;
  /** Lines of the inventory file by section. */
  readonly inventory: Record<'host' | 'all' | 'parent' | 'group', string>;
  readonly play: Record<string, unknown>;
  readonly role: Record<string, unknown>;
  readonly block: Record<string, unknown>;
  readonly task: Record<string, unknown>;
  /** Tasks of the role before the one that reads the variable. */
  readonly before: unknown[];
  /** Variables of an include of the file that reads it; none, and it is not included. */
  include: Record<string, unknown> | undefined;
  readonly extra: string[];
}

interface Source {
  readonly where: string;
  /** Sets the variable to the source's own name there. */
  put(project: Project, name: string): void;
  /** The variable that can be set there, where that is no free choice, and its value. */
  readonly only?: { readonly name: string; readonly value: string };
}

const file = (where: string, path: string): Source => ({
  where,
  put: ({ files }, name) => {
    files[path] = { ...files[path], [name]: where };
  },
});
const line = (where: string, section: keyof Project['inventory']): Source => ({
  where,
  put: ({ inventory }, name) => {
    inventory[section] += `${name}="${where}" `;
  },
});
const vars = (where: string, of: (project: Project) => Record<string, unknown>): Source => ({
  where,
  put: (project, name) => {
    of(project)['vars'] = { [name]: where };
  },
});

const MACHINE = execFileSync('uname', ['-m'], { encoding: 'utf8' }).trim();

/** Weakest first, as Ansible's documentation lists them. */
const SOURCES: readonly Source[] = [
  file('defaults of the role', 'book/roles/r/defaults/main.yaml'),
  line('group all in the inventory file', 'all'),
  line('a parent group in the inventory file', 'parent'),
  line('a group in the inventory file', 'group'),
  file('group_vars/all beside the inventory', 'inventory/group_vars/all.yaml'),
  file('group_vars/all beside the playbook', 'book/group_vars/all.yaml'),
  file('group_vars of a group beside the inventory', 'inventory/group_vars/g.yaml'),
  file('group_vars of a group beside the playbook', 'book/group_vars/g.yaml'),
  line('the host in the inventory file', 'host'),
  file('host_vars beside the inventory', 'inventory/host_vars/h.yaml'),
  file('host_vars beside the playbook', 'book/host_vars/h.yaml'),
  {
    where: 'facts of the host',
    only: { name: 'ansible_machine', value: MACHINE },
    put: ({ play }) => Object.assign(play, { gather_facts: true, gather_subset: ['min'] }),
  },
  vars('vars of the play', ({ play }) => play),
  {
    where: 'vars_files of the play',
    put: ({ play, files }, name) => {
      play['vars_files'] = ['more.yaml'];
      files['book/more.yaml'] = { [name]: 'vars_files of the play' };
    },
  },
  file('vars of the role', 'book/roles/r/vars/main.yaml'),
  vars('vars of a block', ({ block }) => block),
  vars('vars of the task', ({ task }) => task),
  {
    where: 'include_vars',
    put: ({ before, files }, name) => {
      files['book/loaded.yaml'] = { [name]: 'include_vars' };
      before.push({ include_vars: 'loaded.yaml' });
    },
  },
  {
    where: 'set_fact',
    put: ({ before }, name) => before.push({ set_fact: { [name]: 'set_fact' } }),
  },
  {
    where: 'parameters of the role',
    put: ({ role }, name) => Object.assign(role, { [name]: 'parameters of the role' }),
  },
  {
    where: 'vars of include_tasks',
    put: (project, name) => {
      project.include = { [name]: 'vars of include_tasks' };
    },
  },
  {
    where: 'extra vars',
    put: ({ extra }, name) => extra.push(JSON.stringify({ [name]: 'extra vars' })),
  },
  { where: 'magic variables', only: { name: 'inventory_hostname', value: 'h' }, put: () => {} },
];

function emptyProject(): Project {
  return {
    files: {},
    inventory: { host: '', all: '', parent: '', group: '' },
    play: {},
    role: {},
    block: {},
    task: {},
    before: [],
    include: undefined,
    extra: [],
  };
}

/** What a task of the project's role sees as the variable. */
async function read(project: Project, name: string): Promise<unknown> {
  const { host, all, parent, group } = project.inventory;
  const task = { ...project.task, name: 'read', debug: { msg: `{{ ${name} }}` } };
  const include = { include_tasks: 'read.yaml', vars: project.include };
  const inner = project.include === undefined ? task : include;
  const tasks = [...project.before, { ...project.block, block: [inner] }];
  const roles = [{ role: 'r', ...project.role }];
  const play = { hosts: 'h', gather_facts: false, ...project.play, roles };
  const world = makeWorld({
    'inventory/hosts.ini': ini({
      top: `h ansible_connection=local ${host}`,
      'all:vars': all,
      'p:children': 'g',
      'p:vars': parent,
      g: 'h',
      'g:vars': group,
    }),
    'book/roles/r/tasks/main.yaml': stringify(tasks),
    'book/roles/r/tasks/read.yaml': stringify([task]),
    'book/play.yaml': stringify([play]),
  });
  for (const [path, content] of Object.entries(project.files))
    world.write({ [path]: stringify(content) });
  try {
    const flags = { inventory: [world.path('inventory/hosts.ini')], extraVars: project.extra };
    const played = await playHere(world, { file: world.path('book/play.yaml'), flags });
    const title = 'r : read';
    return played.failures.length > 0 ? played.failures : played.result(title)['msg'];
  } finally {
    world.remove();
  }
}

function ini(sections: Readonly<Record<string, string>>): string {
  return Object.entries(sections)
    .map(
      ([name, text]) =>
        `${name === 'top' ? '' : `[${name}]\n`}${text.trim().replaceAll('" ', '"\n')}\n`,
    )
    .join('');
}

describe('the precedence of variables', () => {
  for (const [i, stronger] of SOURCES.entries()) {
    const weaker = SOURCES[i - 1];
    if (weaker === undefined) continue;
    it(`puts ${stronger.where} above ${weaker.where}`, async () => {
      const project = emptyProject();
      const only = stronger.only ?? weaker.only;
      const name = only?.name ?? 'answer';
      weaker.put(project, name);
      stronger.put(project, name);
      expect(await read(project, name)).to.equal(stronger.only?.value ?? stronger.where);
    });
  }

  it('puts a group above another of the same depth by its name, and by ansible_group_priority', async () => {
    const groups = '[a]\nh\n[b]\nh\n[a:vars]\nanswer=a\n[b:vars]\nanswer=b\n';
    expect(await answerOf(groups)).to.equal('b');
    expect(await answerOf(`${groups}[a:vars]\nansible_group_priority=10\n`)).to.equal('a');
  });

  it('puts what is registered or set later above what was earlier', async () => {
    const project = emptyProject();
    const register = { command: 'echo x', register: 'answer' };
    project.before.push(register, { set_fact: { answer: 'set' } });
    expect(await read(project, 'answer')).to.equal('set');
    project.before.push(register);
    expect(await read(project, 'answer.stdout')).to.equal('x');
  });

  it('puts an inner block above an outer one', async () => {
    const project = emptyProject();
    Object.assign(project.block, { vars: { answer: 'outer', other: 'outer' } });
    Object.assign(project.task, { vars: { answer: 'inner' } });
    expect(await read(project, 'answer')).to.equal('inner');
    expect(await read(project, 'other')).to.equal('outer');
  });

  it('replaces dictionaries and does not merge them', async () => {
    const project = emptyProject();
    Object.assign(project.play, { vars: { answer: { a: 1, b: 2 } } });
    Object.assign(project.task, { vars: { answer: { b: 3 } } });
    expect(await read(project, 'answer')).to.deep.equal({ b: 3 });
  });
});

async function answerOf(inventory: string): Promise<unknown> {
  const play = {
    hosts: 'h',
    gather_facts: false,
    tasks: [{ name: 'read', debug: { msg: '{{ answer }}' } }],
  };
  const world = makeWorld({ 'hosts.ini': inventory, 'play.yaml': stringify([play]) });
  try {
    const played = await playHere(world, { flags: { inventory: [world.path('hosts.ini')] } });
    return played.result('read')['msg'];
  } finally {
    world.remove();
  }
}
