import { expect } from 'chai';
import { lookOver } from '../../support/look-over.ts';
import { type SurveyCase, tasks } from './cases.ts';

const LOOKUP = `- debug: {msg: "{{ lookup('file', 'a.txt') }}"}`;
const NOT_FOUND = 'the file "a.txt" was not found (searched in files/a.txt, a.txt)';

const CASES: readonly SurveyCase[] = [
  {
    title: 'of lookups',
    files: tasks(
      `- debug: {msg: "{{ lookup('file', 'a.txt') }}"}`,
      `- debug: {msg: "{{ query('ansible.builtin.template', 'a.j2', '/nosuch') }}"}`,
      `- debug: {msg: "{{ lookup('unvault', ['a.txt']) }}"}`,
    ),
    refused: [
      `play.yaml:4:39  the lookup file: ${NOT_FOUND}`,
      'play.yaml:5:58  the lookup template: the file "a.j2" was not found (searched in templates/a.j2, a.j2)',
      'play.yaml:5:66  the lookup template: the file "/nosuch" was not found (searched in /nosuch)',
      `play.yaml:6:43  the lookup unvault: ${NOT_FOUND}`,
    ],
  },
  {
    title: 'of loops',
    files: tasks('- debug:', '  with_file: [a.txt, play.yaml]'),
    refused: [`play.yaml:5:18  the lookup file: ${NOT_FOUND}`],
  },
  ...Object.entries({
    texts: ['{{ item }}.txt', '  loop: [a, b]'],
    'texts in lists': ['{{ item }}.txt', '  with_items: [a, [b]]'],
    members: ['{{ item.src }}', '  loop: [{src: a.txt}, {src: b.txt}]'],
    'what is partly known': [
      "{{ each['src'] }}",
      '  loop: [{src: "{{ 1 }}"}, {src: a.txt}, {src: b.txt}, b.txt]',
      '  loop_control: {loop_var: each}',
    ],
  }).map(([what, [src, ...loop]]) => ({
    title: `that a loop over ${what} names`,
    files: tasks(`- copy: {src: "${src}", dest: /}`, ...loop),
    refused: [
      `play.yaml:4:14  copy: ${NOT_FOUND}`,
      'play.yaml:4:14  copy: the file "b.txt" was not found (searched in files/b.txt, b.txt)',
    ],
  })),
  {
    title: 'of variables',
    files: tasks('- include_vars: {dir: a}', '- include_vars: {file: b}', '- include_vars: c'),
    refused: [
      'play.yaml:4:22  include_vars: the directory "a" was not found (searched in a, vars/a)',
      'play.yaml:5:22  include_vars: the file "b" was not found (searched in vars/b, b)',
      'play.yaml:6:21  include_vars: the file "c" was not found (searched in vars/c, c)',
    ],
  },
  {
    title: 'of lookups in templates',
    files: {
      ...tasks('- template: {src: t.j2, dest: /a}'),
      'templates/t.j2': `{{ lookup('file', 'a.txt') }}{{ lookup('file', 'near') }}`,
      'templates/near': '',
    },
    refused: [
      'templates/t.j2:1:19  the lookup file: the file "a.txt" was not found (searched in templates/files/a.txt, templates/a.txt, files/a.txt, a.txt)',
    ],
  },
  ...Object.entries({
    'ignored errors': [LOOKUP, '  ignore_errors: true'],
    'a rescue': [`- block: [${LOOKUP.slice(2)}]`, '  rescue: [debug: ]'],
    'a condition': [LOOKUP, '  when: ansible_check_mode'],
  }).map(([behind, lines]) => ({
    title: `behind ${behind}, as a warning`,
    files: tasks(...lines),
    warned: [`play.yaml:4:${behind === 'a rescue' ? 47 : 39}  the lookup file: ${NOT_FOUND}`],
  })),
  ...Object.entries({
    'a copy': '- copy: {content: x, dest: "{{ playbook_dir }}/a.txt"}',
    'a command': '- command: make a.txt',
    'a lookup': "- debug: {msg: \"{{ lookup('pipe', 'make a.txt') }}\"}",
    'a fetch': '- fetch: {src: /etc/hostname, dest: a.txt, flat: true}',
  }).map(([maker, line]) => ({
    title: `that ${maker} may make before, as a warning`,
    files: tasks(line, LOOKUP),
    warned: [`play.yaml:5:39  the lookup file: ${NOT_FOUND}`],
  })),
  ...Object.entries({
    'on this machine': { look: { isLocal: true }, inventory: 'here\n' },
    'in an inventory with this machine': { inventory: 'here\nlocalhost\n' },
    'with variables of its connection': { inventory: 'here ansible_connection=local\n' },
  }).map(([where, { inventory, ...rest }]) => ({
    title: `that a play ${where} may make before, as a warning`,
    files: {
      'play.yaml': `- hosts: all\n  gather_facts: false\n  tasks:\n    - command: make\n    ${LOOKUP}\n`,
      hosts: inventory,
    },
    inventory: 'hosts',
    warned: [`play.yaml:5:39  the lookup file: ${NOT_FOUND}`],
    ...rest,
  })),
  {
    title: 'that a play elsewhere does not make',
    files: {
      'play.yaml': `- hosts: all\n  gather_facts: false\n  tasks:\n    - command: make\n    ${LOOKUP}\n`,
      hosts: 'here\n',
    },
    inventory: 'hosts',
    refused: [`play.yaml:5:39  the lookup file: ${NOT_FOUND}`],
  },
];

/** Where files are found, and what nobody waits for. */
const SILENT: Readonly<Record<string, readonly string[]>> = {
  'files of a role': ['- include_role: {name: r}'],
  'a lookup that may do without': [
    `- debug: {msg: "{{ lookup('file', 'a.txt', errors='ignore') }}{{ lookup('file', 'a.txt', errors='warn') }}"}`,
  ],
  'a default': [`- debug: {msg: "{{ lookup('file', 'a.txt') | default('') }}"}`],
  'what is not certainly evaluated': [
    `- debug: {msg: "{{ lookup('file', 'a.txt') if ansible_check_mode else '' }}"}`,
  ],
  'a loop over what the run knows': [
    '- copy: {src: "{{ item }}", dest: /}\n      loop: "{{ ansible_play_hosts }}"',
  ],
};

const ROLE = {
  'roles/r/tasks/main.yaml':
    `- debug: {msg: "{{ lookup('file', 'f') }}{{ lookup('template', 't') }}{{ lookup('file', 'v/x.yaml') }}"}\n` +
    '- include_vars: {dir: v}\n- debug: {msg: "{{ item }}"}\n  with_file: f\n',
  'roles/r/files/f': '',
  'roles/r/templates/t': '',
  'roles/r/vars/v/x.yaml': '',
  'roles/r/files/v/x.yaml': '',
};

describe('files that are not there before a run', () => {
  for (const { title, refused = [], warned = [], ...given } of CASES) {
    it(`are found: those ${title}`, async () => {
      expect(await lookOver(given)).to.deep.equal({ refused, warned });
    });
  }

  for (const [title, lines] of Object.entries(SILENT)) {
    it(`are not missed with ${title}`, async () => {
      const seen = await lookOver({ files: { ...tasks(...lines), ...ROLE } });
      expect(seen).to.deep.equal({ refused: [], warned: [] });
    });
  }
});
