import { expect } from 'chai';
import { lookOver } from '../../support/look-over.ts';
import type { SurveyCase } from './cases.ts';

/** A play with some lines of its own, and one task. */
function play(lines: readonly string[], ...task: readonly string[]): Record<string, string> {
  const tasks = task.length === 0 ? ['- debug: {msg: "{{ a }}"}'] : task;
  const own = lines.map((line) => `  ${line}\n`).join('');
  const body = tasks.map((line) => `    ${line}\n`).join('');
  return { 'play.yaml': `- hosts: localhost\n  gather_facts: false\n${own}  tasks:\n${body}` };
}

const UNDEFINED = `'nosuch' is undefined`;
const A = 'vars: {a: "{{ nosuch }}"}';

const CASES: readonly SurveyCase[] = [
  {
    title: 'a variable of the play',
    files: play([A]),
    refused: [`play.yaml:3:17  ${UNDEFINED}`],
  },
  {
    title: 'a variable of the task',
    files: play([], '- debug: {msg: "{{ a }}"}', `  ${A}`),
    refused: [`play.yaml:5:21  ${UNDEFINED}`],
  },
  {
    title: 'a variable of each of two tasks',
    files: play(
      [],
      '- debug: {msg: "{{ a }}"}',
      `  ${A}`,
      '- debug: {msg: "{{ a }}"}',
      '  vars: {a: "{{ other }}"}',
    ),
    refused: [`play.yaml:5:21  ${UNDEFINED}`, `play.yaml:7:21  'other' is undefined`],
  },
  {
    title: 'a variable of a variable',
    files: play(['vars: {a: "{{ b }}", b: "{{ c.d }}", c: "{{ nosuch }}"}']),
    refused: [`play.yaml:3:47  ${UNDEFINED}`],
  },
  {
    title: 'a default of a role',
    files: {
      ...play(['roles: [r]']),
      'roles/r/defaults/main.yaml': 'a: "{{ nosuch }}"\n',
    },
    refused: [`roles/r/defaults/main.yaml:1:8  ${UNDEFINED}`],
  },
  {
    title: 'a variable in a condition',
    files: play([A], '- debug:', '  when: a'),
    refused: [`play.yaml:3:17  ${UNDEFINED}`],
  },
  {
    title: 'a variable in a template',
    files: {
      ...play([A], '- template: {src: t, dest: /t}'),
      'templates/t': '{{ a }}\n',
    },
    refused: [`play.yaml:3:17  ${UNDEFINED}`],
  },
  {
    title: 'a file of a lookup in a variable',
    files: play([`vars: {a: "{{ lookup('file', 'f') }}"}`]),
    refused: [
      'play.yaml:3:32  the lookup file: the file "f" was not found (searched in files/f, f)',
    ],
  },
  ...['become_user', 'remote_user', 'port'].map((keyword) => ({
    title: `${keyword} of the play`,
    files: play([`${keyword}: "{{ nosuch }}"`], '- debug:'),
    refused: [`play.yaml:3:${keyword.length + 9}  ${UNDEFINED}`],
  })),
  {
    title: 'environment of the play and of a block',
    files: play(
      ['environment: {A: "{{ nosuch }}"}'],
      '- environment: [{B: "{{ other }}"}]',
      '  block: [{debug: }]',
    ),
    refused: [`play.yaml:3:24  ${UNDEFINED}`, `play.yaml:5:29  'other' is undefined`],
  },
];

/** Whatever may define the variable, or may do without it. */
const SILENT: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  'a default': play([A], `- debug: {msg: "{{ a | default('') }}"}`),
  'a task that does not use it': play([A], '- debug:'),
  'a member that nobody asks for': play(
    ['vars: {a: {b: "{{ nosuch }}", c: 1}}'],
    '- debug: {msg: "{{ a.c }}"}',
  ),
  'a task that may fail': play([A], '- debug: {msg: "{{ a }}"}', '  ignore_errors: true'),
  'set_fact of it': play([A], '- set_fact: {a: 1}', '- debug: {msg: "{{ a }}"}'),
  'set_fact of what it needs': play([A], '- set_fact: nosuch=1', '- debug: {msg: "{{ a }}"}'),
  'a result': play([A], '- command: id', '  register: nosuch', '- debug: {msg: "{{ a }}"}'),
  'a result in its place': play([A], '- command: id', '  register: a', '- debug: {msg: "{{ a }}"}'),
  'another variable in its place': play([A], '- debug: {msg: "{{ a }}"}', '  vars: {a: 1}'),
  'a file of variables': {
    ...play([A], '- include_vars: v.yaml', '- debug: {msg: "{{ a }}"}'),
    'v.yaml': 'nosuch: 1\n',
  },
  'a file of variables in its place': {
    ...play([A], '- include_vars: v.yaml', '- debug: {msg: "{{ a }}"}'),
    'v.yaml': 'a: 1\n',
  },
  'variables of a group': { ...play([A]), 'group_vars/all.yaml': 'nosuch: 1\n' },
  'variables of a host': { ...play([A]), 'host_vars/localhost.yaml': 'nosuch: 1\n' },
  'variables of a host in its place': {
    ...play(['roles: [r]']),
    'roles/r/defaults/main.yaml': 'a: "{{ nosuch }}"\n',
    'host_vars/localhost.yaml': 'a: 1\n',
  },
  'a fact': play(['vars: {a: "{{ ansible_os_family }}"}']),
  'a role that is listed later': {
    ...play(['roles: [r, s]']),
    'roles/r/tasks/main.yaml': '- debug: {msg: "{{ a }}"}\n',
    'roles/r/defaults/main.yaml': 'a: "{{ nosuch }}"\n',
    'roles/s/defaults/main.yaml': 'nosuch: 1\n',
  },
  'a parameter of a role': {
    ...play(['roles: [{role: r, a: 1}]'], '- debug:'),
    'roles/r/tasks/main.yaml': '- debug: {msg: "{{ a }}"}\n',
    'roles/r/defaults/main.yaml': 'a: "{{ nosuch }}"\n',
  },
  'an add_host': play([A], '- add_host: {name: localhost, nosuch: 1}', '- debug: {msg: "{{ a }}"}'),
  'a variable that is about itself': play(['vars: {a: "{{ b }}", b: "{{ a }}"}']),
  'an include over the environment': {
    ...play(['environment: {A: "{{ nosuch }}"}'], '- include_tasks: empty.yaml'),
    'empty.yaml': '[]\n',
  },
  'a variable of hosts': play([`vars: {a: "{{ hostvars['localhost'].nosuch }}"}`]),
};

describe('a variable that another one needs', () => {
  for (const { title, files, refused = [] } of CASES) {
    it(`is missed before a run in ${title}`, async () => {
      expect(await lookOver({ files })).to.deep.equal({ refused, warned: [] });
    });
  }

  for (const [title, files] of Object.entries(SILENT)) {
    it(`is not missed with ${title}`, async () => {
      expect((await lookOver({ files })).refused).to.deep.equal([]);
    });
  }
});
