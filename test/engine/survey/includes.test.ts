import { expect } from 'chai';
import { lookOver } from '../../support/look-over.ts';
import { type SurveyCase, tasks } from './cases.ts';

const TYPO = 'there is no module "copyy" (did you mean "copy"?)';
const FILES = {
  'inc/a.yaml': '- debug:\n- copyy: {}\n',
  'inc/b.yaml': '- debug: {msg: "{{ item }} {{ nosuch }}"}\n',
  'roles/one/tasks/main.yaml': '- copyy: {}\n',
  'roles/two/tasks/main.yaml': '- debug: {msg: "{{ nosuch }}"}\n',
  'vars/a.yaml': 'a: "{{ 1 | trimm }}"\n',
};

const CASES: readonly SurveyCase[] = [
  {
    title: 'files',
    files: tasks('- include_tasks: "inc/{{ item }}.yaml"', '  loop: [a, b, c]'),
    refused: [
      `inc/a.yaml:2:3  ${TYPO}`,
      'play.yaml:4:22  the file "inc/c.yaml" was not found (searched in .)',
      "inc/b.yaml:1:31  'nosuch' is undefined",
    ],
  },
  {
    title: 'files of items that are dicts',
    files: tasks(
      '- include_tasks: {file: "{{ part.file }}"}',
      '  loop: [{file: inc/a.yaml}, {file: inc/b.yaml}]',
      '  loop_control: {loop_var: part}',
    ),
    refused: [`inc/a.yaml:2:3  ${TYPO}`, "inc/b.yaml:1:31  'nosuch' is undefined"],
  },
  {
    title: 'roles',
    files: tasks('- include_role: {name: "{{ item }}"}', '  with_items: [one, two]'),
    refused: [
      `roles/one/tasks/main.yaml:1:3  ${TYPO}`,
      "roles/two/tasks/main.yaml:1:20  'nosuch' is undefined",
    ],
  },
  {
    title: 'files of variables',
    files: tasks('- include_vars: "{{ item }}.yaml"', '  loop: [a, b]'),
    refused: [
      'play.yaml:4:21  include_vars: the file "b.yaml" was not found (searched in vars/b.yaml, b.yaml)',
    ],
    warned: ['vars/a.yaml:1:12  there is no filter named "trimm" (did you mean "trim"?)'],
  },
  {
    title: 'files behind a condition, as a warning',
    files: tasks('- include_tasks: "{{ item }}"', '  loop: [a.yaml]', '  when: item == "b"'),
    warned: ['play.yaml:4:22  the file "a.yaml" was not found (searched in .)'],
  },
  {
    title: 'files as far as the items are known',
    files: tasks('- include_tasks: "{{ item }}"', '  loop: ["{{ inventory_hostname }}", a.yaml]'),
    refused: ['play.yaml:4:22  the file "a.yaml" was not found (searched in .)'],
  },
];

/** Loops whose items are known in the run alone. */
const SILENT: Readonly<Record<string, readonly string[]>> = {
  'a variable': ['- include_tasks: "{{ item }}"', '  loop: "{{ ansible_play_hosts }}"'],
  'the first file that is there': [
    '- include_tasks: "{{ item }}"',
    '  with_first_found: [{files: [a.yaml], skip: true}]',
  ],
  'a filter': ['- include_tasks: "{{ item | basename }}"', '  loop: [/a/a.yaml]'],
};

describe('a loop over includes', () => {
  for (const { title, files, refused = [], warned = [] } of CASES) {
    it(`is read before a run: ${title}`, async () => {
      const seen = await lookOver({ files: { ...files, ...FILES } });
      expect(seen).to.deep.equal({ refused, warned });
    });
  }

  for (const [title, lines] of Object.entries(SILENT)) {
    it(`is left to the run where its items are those of ${title}`, async () => {
      const seen = await lookOver({ files: { ...tasks(...lines), ...FILES } });
      expect(seen).to.deep.equal({ refused: [], warned: [] });
    });
  }
});
