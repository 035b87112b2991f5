import { expect } from 'chai';
import { lookOver } from '../../support/look-over.ts';
import { type SurveyCase, tasks } from './cases.ts';

const SPEC = 'argument_specs: {main: {options: {pause_image: {type: str}}}}\n';
const DEBUG = '- debug: {msg: "{{ nosuch }}"}';

const CASES: readonly SurveyCase[] = [
  {
    title: 'an undefined variable',
    files: tasks('- debug: {msg: "Hello {{ persn }}"}', '  vars: {person: Ada}'),
    refused: [`play.yaml:4:30  'persn' is undefined (did you mean "person"?)`],
  },
  {
    title: 'an undefined variable in a condition and in a loop',
    files: tasks('- debug: {}', '  when: nosuch == 1', '- debug: {}', '  loop: "{{ nosuch }}"'),
    refused: [`play.yaml:5:13  'nosuch' is undefined (also at play.yaml:7:17)`],
  },
  {
    title: 'an undefined variable in a template',
    files: {
      ...tasks('- template: {src: a.j2, dest: /tmp/a}'),
      'templates/a.j2': 'text\n{% if false %}{{ other }}{% endif %}{{ nosuch }}\n',
    },
    refused: [`templates/a.j2:2:40  'nosuch' is undefined`],
  },
  {
    title: 'an undefined variable in a file that is included',
    files: { ...tasks('- include_tasks: a.yaml'), 'a.yaml': `${DEBUG}\n` },
    refused: [`a.yaml:1:20  'nosuch' is undefined`],
  },
  {
    title: 'an undefined variable that an inventory may have, as a warning',
    files: {
      'play.yaml': `- hosts: all\n  tasks: [{debug: {msg: "{{ nosuch }}"}}]\n`,
      'i.ini': '',
    },
    inventory: 'i.ini',
    warned: [`play.yaml:2:29  'nosuch' is undefined`],
  },
  {
    title: 'a template where a handler listens, as a warning',
    files: {
      'play.yaml': '- hosts: localhost\n  handlers: [{meta: noop, listen: [b, "{{ c }}"]}]\n',
    },
    warned: ['play.yaml:2:39  listen takes no template: it is used as it is written'],
  },
  {
    title: 'files that are not there',
    files: tasks('- copy: {src: a.txt, dest: /a}', '- template: {src: a.j2, dest: /a}'),
    refused: [
      'play.yaml:4:14  copy: the file "a.txt" was not found (searched in files/a.txt, a.txt)',
      'play.yaml:5:18  template: the file "a.j2" was not found (searched in templates/a.j2, a.j2)',
    ],
  },
  {
    title: 'a file that an earlier task may make, as a warning',
    files: tasks('- command: make a.txt', '- copy: {src: a.txt, dest: /a}'),
    warned: [
      'play.yaml:5:14  copy: the file "a.txt" was not found (searched in files/a.txt, a.txt)',
    ],
  },
  {
    title: 'a filter, a test and a lookup that do not exist',
    files: tasks(
      '- debug: {msg: "{{ 1 | trimm }}"}',
      '- debug: {msg: "{{ 1 is evn }}"}',
      '- debug: {msg: "{{ lookup(\'fil\', 1) }}"}',
      '- debug: {msg: "{{ [1] | map(\'uper\') }}"}',
    ),
    refused: [
      'play.yaml:4:28  there is no filter named "trimm" (did you mean "trim"?)',
      'play.yaml:5:26  there is no test named "evn" (did you mean "even"?)',
      'play.yaml:6:31  there is no lookup named "fil" (did you mean "file"?)',
      'play.yaml:7:34  there is no filter named "uper" (did you mean "upper"?)',
    ],
  },
  {
    title: 'a lookup of a collection',
    files: tasks('- debug: {msg: "{{ lookup(\'dig\', 1) }}"}', '  when: some'),
    look: { skipTags: [] },
    warned: [
      'the lookup community.general.dig is not available; it is needed only where its conditions hold',
    ],
    refused: [`play.yaml:5:13  'some' is undefined`],
  },
  {
    title: 'braces in a condition',
    files: tasks('- debug: {}', '  when: "{{ x }} == 1"', '  vars: {x: 1}'),
    refused: [
      'play.yaml:5:14  template syntax: a condition takes no braces (write: x == 1) in "{{ x }} == 1"',
    ],
  },
  {
    title: 'the place of a fault inside a scalar',
    files: tasks('- debug:', '    msg: |', '      one', '      two {% if x %}'),
    refused: [
      'play.yaml:7:25  template syntax: unexpected end of template, {% endif %} is missing in "two {% if x %}"',
    ],
  },
  {
    title: 'a misspelt handler',
    files: {
      'play.yaml': `${tasks('- command: id', '  notify: restart ngnix')['play.yaml']}  handlers: [{name: restart nginx, debug: }]\n`,
    },
    refused: ['play.yaml:4:7  there is no handler "restart ngnix" (did you mean "restart nginx"?)'],
  },
  {
    title: 'a handler that is refused, which is no missing one',
    files: {
      'play.yaml': '- hosts: localhost\n  roles: [r]\n  handlers: [{name: own, pingg: }]\n',
      'roles/r/tasks/main.yaml': '- command: id\n  notify: [restart, own]\n',
      'roles/r/handlers/main.yaml': '- name: restart\n  debugg: {}\n',
    },
    refused: [
      'roles/r/handlers/main.yaml:2:3  there is no module "debugg" (did you mean "debug"?)',
      'play.yaml:3:26  there is no module "pingg" (did you mean "ping"?)',
    ],
  },
  {
    title: 'a misspelt handler where a missing one ends no run, as a warning',
    files: tasks('- command: id', '  notify: nobody'),
    look: { missingHandlersEnd: false },
    warned: [
      'play.yaml:4:7  there is no handler "nobody" (add it to handlers, or a "listen" with this topic)',
    ],
  },
  {
    title: 'a misspelt variable of a role, where everything is looked at',
    files: {
      'play.yaml': '- hosts: localhost\n  roles:\n    - {role: a, pause_imge: x}\n',
      'roles/a/meta/argument_specs.yaml': SPEC,
    },
    look: { thorough: true },
    refused: [
      'play.yaml:3:17  nothing uses the variable "pause_imge" (did you mean "pause_image" of the role "a"?)',
    ],
  },
  {
    title: 'braces in a condition around tasks',
    files: tasks('- block: [{debug: }]', '  when: "{{ x }} is defined"'),
    refused: [
      'play.yaml:5:14  template syntax: a condition takes no braces (write: x is defined) in "{{ x }} is defined"',
    ],
  },
  {
    title: 'a file of variables that is not there, or broken',
    files: {
      'play.yaml': `- hosts: localhost\n  vars_files: [/nosuch.yaml, [/no.yaml, a.yaml], b.yaml, "{{ x }}.yaml"]\n  tasks: [{include_vars: c.yaml}]\n`,
      'vars/a.yaml': 'a: 1\n- 2\n',
      'b.yaml': '',
      'vars/c.yaml': '[1]',
    },
    refused: [
      'vars/c.yaml:1:2  vars/c.yaml is not a mapping (write it as "key: value" lines)',
      'play.yaml:2:16  the vars file "/nosuch.yaml" was not found (searched in . and its directory vars)',
      'vars/a.yaml:2:1  YAML syntax: Implicit keys need to be on a single line',
    ],
  },
  {
    title: 'faults in variables that somebody may use, as warnings',
    files: {
      'play.yaml': `- hosts: localhost\n  vars: {a: "{{ 1 | trimm }}"}\n  vars_files: [v.yaml]\n  roles: [r]\n  tasks: [{include_vars: i.yaml}]\n`,
      'v.yaml': 'b: ["{{ 1 + }}"]\n',
      'i.yaml': 'b: "{{ 1 is evn }}"\n',
      'roles/r/defaults/main.yaml': 'c: {d: "{% if %}"}\n',
      'group_vars/all.yaml': 'e: "{{ lookup(\'dig\', 1) }}"\n',
    },
    warned: [
      'the lookup community.general.dig is not available; it is needed only where its conditions hold',
      'i.yaml:1:10  there is no test named "evn" (did you mean "even"?)',
      'v.yaml:1:13  template syntax: unexpected "}}" in "{{ 1 + }}"',
      'play.yaml:2:21  there is no filter named "trimm" (did you mean "trim"?)',
      'roles/r/defaults/main.yaml:1:15  template syntax: unexpected "%}", expected an expression in "{% if %}"',
    ],
  },
  {
    title: 'faults in templates that a template brings in',
    files: {
      ...tasks('- template: {src: a.j2, dest: /tmp/a}'),
      'templates/a.j2':
        '{% set own = 1 %}{% include "b.j2" %}{% from "no.j2" import m %}{% include "may.j2" ignore missing %}{% if x is defined %}{% include "c.j2" %}{% endif %}',
      'templates/b.j2': '{{ own }}{{ 1 | trimm }}{% include "a.j2" %}{% include "b.j2" %}',
      'templates/c.j2': '{{ 1 + }}',
    },
    refused: [
      'templates/b.j2:1:17  there is no filter named "trimm" (did you mean "trim"?)',
      'templates/a.j2:1:46  the template "no.j2" was not found',
    ],
    warned: ['templates/c.j2:1:8  template syntax: unexpected "}}" in "{{ 1 + }}"'],
  },
  {
    title: 'a fault in a template that names another one',
    files: {
      ...tasks('- template: {src: a.j2, dest: /tmp/a}'),
      'templates/a.j2': '{% include "b.j2" %}{% if %}',
    },
    refused: [
      'templates/a.j2:1:27  template syntax: unexpected "%}", expected an expression in "{% include "b.j2" %}{% if %}"',
    ],
  },
  {
    title: 'a fault in a Handlebars template',
    files: {
      ...tasks('- template: {src: a.hbs, dest: /tmp/a}'),
      'templates/a.hbs': 'a\n{{#if b}}\n',
    },
    refused: ['templates/a.hbs:3:1  the template ends inside a block that is not closed'],
  },
  {
    title: 'tags that no task has, as a warning',
    files: tasks('- debug:', '  tags: [web, db]'),
    look: { tags: ['wbe', 'tagged'], skipTags: ['db', 'x'] },
    warned: ['no task has the tag "wbe" (did you mean "web"?)', 'no task has the tag "x"'],
  },
  {
    title: 'nothing of tags where some are known in the run alone',
    files: tasks('- debug:', '  tags: ["{{ x }}"]'),
    look: { tags: ['wbe'] },
  },
];

/** Whatever may define a variable, and whatever lives without one. */
const SILENT: Readonly<Record<string, readonly string[]>> = {
  'a default': [
    '- debug: {msg: "{{ a | default(1) }} {{ b.c | d(1) }} {{ c is defined }} {{ d | default(e) }}"}',
  ],
  'what is not certainly evaluated': [
    '- debug: {msg: "{{ a if false else 1 }} {{ false and b }}"}',
  ],
  'register, set_fact and variables of loops': [
    '- command: id\n      register: a',
    '- set_fact: b=1',
    '- debug: {msg: "{{ a }} {{ b }} {{ c }} {{ item }} {{ i }}"}\n      loop: [1]\n      loop_control: {index_var: i}\n      vars: {c: 1}',
  ],
  'facts and variables of the engine': [
    '- debug: {msg: "{{ ansible_os_family }} {{ hostvars }} {{ groups.all }} {{ omit }} {{ role_path }}"}',
  ],
  'names that are made': ['- set_fact: {"{{ 1 }}_a": 1}', '- debug: {msg: "{{ anything }}"}'],
  'files of variables that depend on a host': [
    '- include_vars: "{{ ansible_os_family }}.yaml"',
    '- debug: {msg: "{{ from_vars }}"}',
  ],
  'a failure that is reckoned with': [`${DEBUG}\n      ignore_errors: true`],
  'names of files that may be missing': [
    '- debug: {}\n      with_first_found: ["{{ nosuch }}", play.yaml]',
  ],
  'names of a template itself': ['- template: {src: own.j2, dest: /a}'],
};

const AROUND = {
  'vars/Debian.yaml': 'from_vars: 1\n',
  'templates/own.j2':
    '{% set a = 1 %}{% macro m(b) %}{{ b }}{% endmacro %}{% for c, d in {}.items() %}{{ c ~ d ~ loop.index }}{% endfor %}' +
    '{{ a }}{{ m(1) }}{{ ansible_managed }}{{ template_host }}\n',
};

describe('what is read before a run', () => {
  for (const { title, refused = [], warned = [], ...given } of CASES) {
    it(`shows ${title}`, async () => {
      expect(await lookOver(given)).to.deep.equal({ refused, warned });
    });
  }

  it('takes facts that earlier runs have kept for known', async () => {
    const files = tasks('- debug: {msg: "{{ kept }} {{ lost }}"}');
    const { refused } = await lookOver({ files, facts: { localhost: new Map([['kept', 1]]) } });
    expect(refused).to.deep.equal(["play.yaml:4:35  'lost' is undefined"]);
  });

  for (const [title, lines] of Object.entries(SILENT)) {
    it(`says nothing of variables with ${title}`, async () => {
      const { refused } = await lookOver({ files: { ...tasks(...lines), ...AROUND } });
      expect(refused).to.deep.equal([]);
    });
  }
});
