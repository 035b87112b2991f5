import { expect } from 'chai';
import { lookOver } from '../../support/look-over.ts';
import { type SurveyCase, tasks } from './cases.ts';

const PLUGINS = {
  'filter_plugins/own.py': "class FilterModule:\n  def filters(self): return {'mine': str}\n",
  'roles/r/test_plugins/own.py': 'class TestModule:\n  def tests(self): return {"fine": bool}\n',
  'roles/r/tasks/main.yaml': '- debug: {msg: "{{ 1 is fine }}"}\n',
  'lookup_plugins/seek.py': 'class LookupModule: pass\n',
};
const CURE =
  'use built-in filters, a macro in a template, or a module of your own in library/ whose result is registered';
const PYTHON = `is not available: it is written in Python (${CURE})`;

const CASES: readonly SurveyCase[] = [
  {
    title: 'a filter',
    files: tasks('- debug: {msg: "{{ 1 | mine }}"}', '- debug: {msg: "{{ 1 | mien }}"}'),
    refused: [
      `play.yaml:4:28  the filter "mine" ${PYTHON}`,
      'play.yaml:5:28  there is no filter named "mien" (did you mean "min"?)',
    ],
  },
  {
    title: 'a test of a role',
    files: tasks('- include_role: {name: r}'),
    refused: [`roles/r/tasks/main.yaml:1:22  the test "fine" ${PYTHON}`],
  },
  {
    title: 'a test of a role that nobody plays, which is unknown',
    files: tasks('- debug: {msg: "{{ 1 is fine }}"}'),
    refused: ['play.yaml:4:26  there is no test named "fine" (did you mean "file"?)'],
  },
  {
    title: 'lookups',
    files: tasks('- debug: {msg: "{{ lookup(\'seek\', 1) }}"}', '- debug:', '  with_seek: [1]'),
    refused: [
      `play.yaml:4:31  the lookup "seek" ${PYTHON.replace(/\)$/, '; also at play.yaml:6:7)')}`,
    ],
  },
  {
    title: 'a filter behind a condition, as a warning',
    files: tasks('- debug: {msg: "{{ 1 | mine }}"}', '  when: ansible_check_mode'),
    warned: ['the filter mine is not available; it is needed only where its conditions hold'],
  },
];

describe('plugins that users have in Python', () => {
  for (const { title, files, refused = [], warned = [] } of CASES) {
    it(`are told apart from misspelt ones: ${title}`, async () => {
      const seen = await lookOver({ files: { ...files, ...PLUGINS } });
      expect(seen).to.deep.equal({ refused, warned });
    });
  }
});
