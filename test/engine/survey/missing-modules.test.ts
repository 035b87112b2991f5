import { expect } from 'chai';
import { lookOver } from '../../support/look-over.ts';
import { type SurveyCase, tasks } from './cases.ts';

const DOC = 'tsprov doc lists the modules that are';
const DNF = `the module "dnf" of ansible.builtin is not available`;
const ONLY = 'is not available; it is needed only where its conditions hold';

const ASYNC =
  'the keyword "async" is not supported yet (leave it out: the connection is kept alive while a task runs)';

/** A module that tsprov does not have, in a task that may not run. */
const MAY_NOT_RUN: Readonly<Record<string, readonly string[]>> = {
  'a condition': ['- dnf: {name: x}', '  when: ansible_facts.os_family == "RedHat"'],
  'a condition of a block': ['- block: [{dnf: {name: x}}]', '  when: ansible_check_mode'],
  'a condition of an include': ['- include_tasks: dnf.yaml', '  when: ansible_check_mode'],
  'a condition that an include hands down': [
    '- include_tasks: {file: dnf.yaml, apply: {when: ansible_check_mode}}',
  ],
  'a condition of an included role': [
    '- include_role: {name: packages}',
    '  when: ansible_check_mode',
  ],
  'a condition of an imported role': [
    '- import_role: {name: packages}',
    '  when: ansible_check_mode',
  ],
  'a rescue': ['- block: [{ping: }]', '  rescue: [{dnf: {name: x}}]'],
  'a rescue around it': ['- block: [{dnf: {name: x}}]', '  rescue: [{ping: }]'],
  'errors that are ignored': ['- dnf: {name: x}', '  ignore_errors: true'],
  'the tag never': ['- dnf: {name: x}', '  tags: [never]'],
  'a loop over a variable': ['- dnf: {name: x}', '  loop: "{{ ansible_play_hosts }}"'],
  'a host that may have ended': [
    '- meta: end_host',
    '  when: ansible_check_mode',
    '- dnf: {name: x}',
  ],
};

const FILES = {
  'dnf.yaml': '- dnf: {name: x}\n',
  'roles/packages/tasks/main.yaml': '- dnf: {name: x}\n',
};

const CASES: readonly SurveyCase[] = [
  {
    title: 'refuses the run in a task that certainly runs',
    files: tasks('- dnf: {name: x}', '- ufw: {}', '- community.docker.docker_container: {}'),
    refused: [
      `play.yaml:4:7  ${DNF} (${DOC})`,
      `play.yaml:5:7  the module "ufw" of community.general is not available (${DOC})`,
      `play.yaml:6:7  the module "docker_container" of community.docker is not available (${DOC})`,
    ],
  },
  {
    title: 'refuses the run in files that are certainly included',
    files: { ...tasks('- include_tasks: dnf.yaml', '- include_role: {name: packages}'), ...FILES },
    refused: [`dnf.yaml:1:3  ${DNF} (${DOC}; also at roles/packages/tasks/main.yaml:1:3)`],
  },
  {
    title: 'is one line with its places',
    files: tasks(...Array<string>(6).fill('- dnf: {name: x}')),
    refused: [
      `play.yaml:4:7  ${DNF} (${DOC}; also at play.yaml:5:7, play.yaml:6:7, play.yaml:7:7 and 2 more)`,
    ],
  },
  {
    title: 'is one summary of those that may be needed',
    files: tasks(
      '- block:',
      '    - dnf: {name: x}',
      '    - yum: {name: x}',
      '    - community.general.ufw: {}',
      '    - firewalld: {}',
      '    - firewalld: {}',
      '    - dnf: {name: x}',
      '    - somebody.own.thing: {}',
      '  when: ansible_check_mode',
    ),
    warned: [
      '5 modules are not available; they are needed only where their conditions hold: ' +
        'dnf (2 places), ansible.posix.firewalld (2), yum, community.general.ufw, somebody.own.thing',
    ],
  },
  {
    title: 'refuses the run in every task with strict',
    files: tasks('- dnf: {name: x}', '  when: ansible_check_mode'),
    look: { strict: true },
    refused: [`play.yaml:4:7  ${DNF} (${DOC})`],
  },
  {
    title: 'is warned of where the tags leave its task out',
    files: tasks('- dnf: {name: x}', '  tags: [packages]'),
    look: { skipTags: ['packages'] },
    warned: [`the module dnf ${ONLY}`],
  },
  {
    title: 'is warned of in a play that has no hosts',
    files: {
      'play.yaml': '- hosts: web\n  tasks: [{dnf: {name: x}}]\n- hosts: db\n  tasks: []\n',
      'hosts.ini': '[db]\nhere\n',
    },
    inventory: 'hosts.ini',
    warned: [`the module dnf ${ONLY}`],
  },
  {
    title: 'is known under the name that ansible-core sends elsewhere',
    files: tasks('- ansible.builtin.seboolean: {}', '- ansible.legacy.ufw: {}', '  when: false'),
    warned: [`the module community.general.ufw ${ONLY}`],
    refused: [`play.yaml:4:7  the module "seboolean" of ansible.posix is not available (${DOC})`],
  },
  {
    title: 'is known under its short name, whatever the collection',
    files: tasks(
      '- yum: {}',
      '- ansible.builtin.yum: {}',
      '- helm: {}',
      '- nxos_vlans: {}',
      '- junos_config: {}',
      '- azure_rm_virtualmachine: {}',
      '- hetzner_firewall: {}',
    ),
    refused: [
      `play.yaml:4:7  the module "yum" of ansible.builtin is not available (${DOC}; also at play.yaml:5:7)`,
      ...[
        '6:7  the module "helm" of kubernetes.core',
        '7:7  the module "nxos_vlans" of cisco.nxos',
        '8:7  the module "junos_config" of junipernetworks.junos',
        '9:7  the module "azure_rm_virtualmachine" of azure.azcollection',
        '10:7  the module "firewall" of community.hrobot',
      ].map((what) => `play.yaml:${what} is not available (${DOC})`),
    ],
  },
  {
    title: 'is known where its collection is named or has the role',
    files: {
      'play.yaml':
        '- hosts: localhost\n  gather_facts: false\n  collections: [some.where]\n  roles: [far.away.r]\n' +
        '  tasks: [{thing: }, {copyy: }, {debug: , module_defaults: {group/some.where.g: {a: 1}}}]\n',
      'collections/ansible_collections/far/away/roles/r/tasks/main.yaml': '- wobble: {}\n',
    },
    refused: [
      `play.yaml:5:12  the module "thing" of some.where is not available (${DOC})`,
      'play.yaml:5:23  there is no module "copyy" (did you mean "copy"?)',
      `collections/ansible_collections/far/away/roles/r/tasks/main.yaml:1:3  the module "wobble" of far.away is not available (${DOC})`,
    ],
  },
  {
    title: 'is known where users have it in Python',
    files: {
      ...tasks('- own: {}', '- rolled: {}', '  when: false', '- acting: {}'),
      'library/own.py': '',
      'roles/r/library/rolled.py': '',
      'action_plugins/acting.py': '',
    },
    warned: [`the module rolled ${ONLY}`],
    refused: [
      `play.yaml:4:7  the module "own" is not available: it is written in Python (${DOC})`,
      `play.yaml:7:7  the module "acting" is not available: it is written in Python (${DOC})`,
    ],
  },
  {
    title: 'is warned of where users have it in Python and it may not run',
    files: {
      ...tasks('- rolled: {}', '  when: ansible_check_mode'),
      'roles/r/library/rolled.py': '',
    },
    warned: [`the module rolled ${ONLY}`],
  },
  {
    title: 'may be the lookup of a loop',
    files: tasks(
      '- debug: {}',
      '  with_community.general.filetree: [a]',
      '- debug: {}',
      '  with_filetree: [a]',
    ),
    refused: [
      'play.yaml:5:7  the lookup "filetree" of community.general is not available (also at play.yaml:7:7)',
    ],
  },
  {
    title: 'is warned of where the lookup of a loop may not be asked',
    files: tasks(
      '- block:',
      '    - debug: {}',
      '      with_filetree: [a]',
      '  when: ansible_check_mode',
    ),
    warned: [`the lookup community.general.filetree ${ONLY}`],
  },
  {
    title: 'may be a loop that nobody knows, which is misspelt, dead task or not',
    files: tasks('- debug: {}', '  with_itmes: [a]', '  when: false'),
    refused: ['play.yaml:5:7  there is no loop "with_itmes" (did you mean "with_items"?)'],
  },
  {
    title: 'may be a keyword that is not built yet',
    files: tasks('- command: id', '  async: 10', '  poll: 0'),
    refused: [`play.yaml:5:7  ${ASYNC}`],
  },
  {
    title: 'is warned of where it is a keyword of a task that may not run',
    files: {
      'play.yaml': `${tasks('- command: id', '  async: 10', '  when: ansible_check_mode')['play.yaml']}  handlers: [{name: h, command: id, async: 5}]
`,
    },
    warned: [`play.yaml:5:7  ${ASYNC.slice(0, -1)}; also at play.yaml:7:37)`],
  },
  {
    title: 'is no keyword that is switched off',
    files: tasks('- command: id', '  async: 0', '  poll: 5'),
  },
  {
    title: 'that nobody knows is one line with its places, too',
    files: tasks(...Array<string>(3).fill('- copyy: {}')),
    refused: [
      'play.yaml:4:7  there is no module "copyy" (did you mean "copy"?; also at play.yaml:5:7, play.yaml:6:7)',
    ],
  },
  {
    title: 'that nobody knows is misspelt, dead task or not',
    files: tasks(
      '- copyy: {}',
      '  when: false',
      '- community.general.ini_fiel: {}',
      '  when: false',
      '- include: a.yaml',
      '- include_task: a.yaml',
    ),
    refused: [
      'play.yaml:4:7  there is no module "copyy" (did you mean "copy"?)',
      'play.yaml:6:7  there is no module "community.general.ini_fiel" (did you mean "community.general.ini_file"?)',
      'play.yaml:8:7  there is no module "include" (use include_tasks, or import_tasks for a file that is always the same)',
      'play.yaml:9:7  there is no module "include_task" (did you mean "include_tasks"?)',
    ],
  },
];

describe('what is not available', () => {
  for (const { title, refused = [], warned = [], ...given } of CASES) {
    it(title, async () => {
      expect(await lookOver(given)).to.deep.equal({ refused, warned });
    });
  }

  for (const [title, lines] of Object.entries(MAY_NOT_RUN)) {
    it(`is only warned of behind ${title}`, async () => {
      const seen = await lookOver({ files: { ...tasks(...lines), ...FILES } });
      expect(seen).to.deep.equal({ refused: [], warned: [`the module dnf ${ONLY}`] });
    });
  }
});
