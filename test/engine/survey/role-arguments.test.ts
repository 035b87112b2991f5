import { expect } from 'chai';
import { lookOver } from '../../support/look-over.ts';
import type { SurveyCase } from './cases.ts';

const SPEC = {
  'roles/r/meta/argument_specs.yml': [
    'argument_specs:',
    '  main:',
    '    options:',
    '      must: {type: str, required: true}',
    '      also: {type: str, required: true, aliases: [other]}',
    '      may: {type: str}',
    '      preset: {type: str, default: x, required: true}',
    '  second: {options: {own: {required: true}}}',
  ].join('\n'),
  'roles/r/tasks/second.yaml': '- debug:\n',
};

function play(...lines: readonly string[]): Record<string, string> {
  const head = ['- hosts: localhost', '  gather_facts: false'];
  return { 'play.yaml': [...head, ...lines.map((line) => `  ${line}`)].join('\n'), ...SPEC };
}

const MISSING = 'missing required arguments of the role "r"';
const CURE = '(set them as variables of the play, the role or the hosts)';

const CASES: readonly SurveyCase[] = [
  {
    title: 'of a role that is listed',
    files: play('roles: [r]'),
    refused: [`play.yaml:3:11  ${MISSING}: must, also ${CURE}`],
  },
  {
    title: 'of a role that is included',
    files: play('tasks:', '  - include_role: {name: r, tasks_from: second}'),
    refused: [`play.yaml:4:7  ${MISSING}: own ${CURE}`],
  },
  {
    title: 'of a role that may not be played, as a warning',
    files: play('roles: [{role: r, when: ansible_check_mode}]', 'vars: {must: 1}'),
    warned: [`play.yaml:3:11  ${MISSING}: also ${CURE}`],
  },
];

/** Where the arguments may come from. */
const SILENT: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  'parameters of the role': play('roles: [{role: r, must: 1, also: 2}]'),
  'variables of the play, by another name': play('vars: {must: 1, other: 2}', 'roles: [r]'),
  'variables of hosts': { ...play('roles: [r]'), 'group_vars/all.yaml': 'must: 1\nalso: 2\n' },
  'results and facts': play(
    'roles: [r]',
    'pre_tasks: [{command: id, register: must}, {set_fact: also=2}]',
  ),
  'another role': { ...play('roles: [s, r]'), 'roles/s/vars/main.yaml': 'must: 1\nalso: 2\n' },
  'a check that is left out': play(
    'tasks: [{include_role: {name: r, tasks_from: second, rolespec_validate: false}}]',
  ),
};

describe('required arguments of roles', () => {
  for (const { title, files, refused = [], warned = [] } of CASES) {
    it(`are missed before a run: those ${title}`, async () => {
      expect(await lookOver({ files })).to.deep.equal({ refused, warned });
    });
  }

  for (const [title, files] of Object.entries(SILENT)) {
    it(`are not missed with ${title}`, async () => {
      expect((await lookOver({ files })).refused).to.deep.equal([]);
    });
  }
});
