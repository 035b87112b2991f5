import { expect } from 'chai';
import { makeWorld, playHere } from '../../support/play-here.ts';
import { runTsprov } from '../../support/tsprov.ts';

const SHOW =
  "- debug: {msg: \"{{ [a | default('-'), b | default('-'), c | default('-')] | join(' ') }}\"}\n  name: Show\n";
const ROLES = {
  'roles/app/meta/main.yml': 'dependencies: [middle]\n',
  'roles/app/defaults/main.yml': 'a: app\n',
  'roles/app/tasks/main.yml': SHOW,
  'roles/app/tasks/verify.yml': SHOW,
  'roles/middle/meta/main.yml': 'dependencies: [base]\n',
  'roles/middle/vars/main.yml': 'b: middle\n',
  'roles/base/defaults/main.yml': 'a: base\nb: base\nc: base\n',
};

/** What the tasks of the role show, however the play comes to it. */
async function shown(play: Record<string, unknown>): Promise<unknown[]> {
  const text = JSON.stringify([{ hosts: 'all', gather_facts: false, ...play }]);
  const world = makeWorld({ ...ROLES, 'play.yaml': text });
  try {
    const { results, failures } = await playHere(world);
    expect(failures).to.deep.equal([]);
    return [...results('app : Show'), ...results('Show')].map(({ result }) => result['msg']);
  } finally {
    world.remove();
  }
}

describe('a role with dependencies', () => {
  const WAYS: Readonly<Record<string, Record<string, unknown>>> = {
    'in the list of roles': { roles: ['app'] },
    imported: { tasks: [{ import_role: { name: 'app' } }] },
    included: { tasks: [{ include_role: { name: 'app' } }] },
    'included from another file': {
      tasks: [{ include_role: { name: 'app', tasks_from: 'verify' } }],
    },
  };
  for (const [way, play] of Object.entries(WAYS)) {
    it(`sees their variables and defaults below its own when it is ${way}`, async () => {
      expect(await shown(play)).to.deep.equal(['app middle base']);
    });
  }

  it('does not show the variables of an included role to other tasks', async () => {
    const tasks = [
      { include_role: { name: 'app' } },
      { name: 'Show', debug: { msg: "{{ c | default('-') }}" } },
    ];
    expect(await shown({ tasks })).to.deep.equal(['app middle base', '-']);
  });
});

/** Tasks that ran, by their titles. */
async function ran(play: Record<string, unknown>, files: Readonly<Record<string, string>> = {}) {
  const text = JSON.stringify([{ hosts: 'all', gather_facts: false, ...play }]);
  const world = makeWorld({ ...USES, ...files, 'play.yaml': text });
  try {
    const { events, failures } = await playHere(world);
    expect(failures).to.deep.equal([]);
    return events.flatMap((event) =>
      event.type === 'result' && !/skipped/.test(event.info.status) ? [event.task.title] : [],
    );
  } finally {
    world.remove();
  }
}

const task = (name: string) => `- {name: ${name}, debug: {msg: ""}}\n`;
const USES = {
  'roles/a/tasks/main.yml': task('A'),
  'roles/b/meta/main.yml': 'dependencies: [a]\n',
  'roles/b/tasks/main.yml': task('B'),
  'roles/c/meta/main.yml': 'dependencies: [a]\n',
  'roles/c/tasks/main.yml': task('C'),
  'roles/on/tasks/main.yml': '- {name: Ready, set_fact: {ready: true}}\n',
};

describe('a playbook of a collection', () => {
  const root = 'installed/ansible_collections/acme/site';
  const play = [{ hosts: 'all', gather_facts: false, roles: ['web'] }];
  const files = {
    [`${root}/playbooks/deploy.yml`]: JSON.stringify(play),
    [`${root}/playbooks/sub/other.yaml`]: JSON.stringify(play),
    [`${root}/roles/web/tasks/main.yml`]: task('Serve'),
    'main.yaml': JSON.stringify([{ import_playbook: 'acme.site.deploy' }]),
  };
  for (const [what, name] of [
    ['is imported by its full name', 'main.yaml'],
    ['is played by its full name', 'acme.site.deploy'],
    ['may lie in a folder', 'acme.site.sub.other'],
  ] as const) {
    it(`${what}, and has the roles of the collection`, async () => {
      const world = makeWorld(files);
      try {
        const args = ['play', '-i', 'here,', '-c', 'local', name];
        const env = { ...process.env, ANSIBLE_COLLECTIONS_PATH: world.path('installed') };
        const { stdout } = await runTsprov(args, { cwd: world.directory, env });
        expect(stdout).to.include('TASK [acme.site.web : Serve]');
      } finally {
        world.remove();
      }
    });
  }
});

describe('a role of a collection', () => {
  it('lies beside the playbook, and is named in full', async () => {
    const path = 'collections/ansible_collections/acme/site/roles/web/tasks/main.yml';
    const play = { roles: ['acme.site.web'] };
    expect(await ran(play, { [path]: task('Serve') })).to.deep.equal(['acme.site.web : Serve']);
  });

  it('is called by its short name where the collection is named, or by its neighbours', async () => {
    const roles = 'collections/ansible_collections/acme/site/roles';
    const told = '{{ role_name }} {{ ansible_role_name }} {{ ansible_collection_name }}';
    const files = {
      [`${roles}/web/meta/main.yml`]: 'dependencies: [base]\n',
      [`${roles}/web/tasks/main.yml`]: '- include_role: {name: last}\n',
      [`${roles}/base/tasks/main.yml`]: `- {name: "${told}", debug: }\n`,
      [`${roles}/last/tasks/main.yml`]: task('Last'),
    };
    expect(await ran({ collections: ['acme.site'], roles: ['web'] }, files)).to.deep.equal([
      'acme.site.base : base acme.site.base acme.site',
      'include_role : last',
      'acme.site.last : Last',
    ]);
  });

  it('is named in short where its arguments are checked', async () => {
    const folder = 'collections/ansible_collections/acme/site/roles/web';
    const world = makeWorld({
      [`${folder}/tasks/main.yml`]: task('Serve'),
      [`${folder}/meta/argument_specs.yml`]: 'argument_specs: {main: {options: {}}}\n',
      'play.yaml': JSON.stringify([
        { hosts: 'all', gather_facts: false, roles: ['acme.site.web'] },
      ]),
    });
    try {
      const { results } = await playHere(world);
      const title = "acme.site.web : Validating arguments against arg spec 'main'";
      expect(results(title).map(({ result }) => result['validate_args_context'])).to.deep.equal([
        { type: 'role', name: 'web', argument_spec_name: 'main', path: world.path(folder) },
      ]);
    } finally {
      world.remove();
    }
  });
});

describe('a role that is named again', () => {
  const include = (name: string, more = {}) => ({ include_role: { name, ...more } });
  const once = { allow_duplicates: false };
  const A = 'a : A';
  const PLAYS: Readonly<Record<string, readonly [Record<string, unknown>, readonly string[]]>> = {
    'runs once as a dependency of included roles': [
      { tasks: [include('b'), include('c')] },
      [A, 'b : B', 'c : C'],
    ],
    'runs where a condition skipped it before': [{ roles: [{ role: 'b', when: false }, 'a'] }, [A]],
    'runs once its condition holds': [
      {
        roles: [
          { role: 'a', when: 'ready | default(false)' },
          'on',
          { role: 'a', when: 'ready | default(false)' },
        ],
      },
      ['on : Ready', A],
    ],
    'runs once whatever its keywords are, save tags and conditions': [
      { roles: ['a', { role: 'a', become: false }, { role: 'a', tags: 'x' }] },
      [A, A],
    ],
    'runs again when it is included': [{ tasks: [include('a'), include('a')] }, [A, A]],
    'runs once when the include allows no duplicates': [
      { tasks: [include('a', once), include('a', once), { import_role: { name: 'a', ...once } }] },
      [A],
    ],
    'runs again with other variables': [
      { tasks: [include('a', once), { ...include('a', once), vars: { x: 1 } }] },
      [A, A],
    ],
    'is found by a template': [{ vars: { which: 'a' }, roles: [{ role: '{{ which }}' }] }, [A]],
  };
  for (const [what, [play, titles]] of Object.entries(PLAYS)) {
    it(what, async () => {
      const seen = await ran(play);
      expect(seen.filter((title) => !title.startsWith('include'))).to.deep.equal(titles);
    });
  }
});

describe('the scope of a role', () => {
  const FILES = {
    'roles/outer/vars/main.yml': 'v: outer\n',
    'roles/outer/defaults/main.yml': 'd: outer\n',
    'roles/outer/tasks/main.yml': '- include_role: {name: inner}\n',
    'roles/inner/tasks/main.yml':
      '- {name: Inner, debug: {msg: "{{ v }} {{ d }} {{ ansible_parent_role_names }}"}}\n',
    'roles/shut/vars/main.yml': 's: shut\n',
    'roles/shut/tasks/main.yml': task('Shut'),
    'roles/shut/tasks/other.yml': task('Other'),
  };
  const played = async (play: Record<string, unknown>) => {
    const text = JSON.stringify([{ hosts: 'all', gather_facts: false, ...play }]);
    const world = makeWorld({ ...FILES, 'play.yaml': text });
    try {
      return await playHere(world);
    } finally {
      world.remove();
    }
  };

  it('reaches the roles that it includes', async () => {
    const { result } = await played({ roles: ['outer'] });
    expect(result('inner : Inner')['msg']).to.equal("outer outer ['outer']");
  });

  it('is its own where an import is not public', async () => {
    const { result } = await played({
      vars: { open: 'no' },
      tasks: [
        { import_role: { name: 'shut', public: '{{ open }}' } },
        { name: 'Outside', debug: { msg: '{{ s | default("-") }} {{ role_names }}' } },
      ],
    });
    expect(result('Outside')['msg']).to.equal("- ['shut']");
  });

  it('does not need a name of tasks that is written out', async () => {
    const tasks = [{ import_role: { name: 'shut', tasks_from: '{{ file }}' } }];
    const { results } = await played({ vars: { file: 'other' }, tasks });
    expect(results('shut : Other')).to.have.length(1);
  });
});
