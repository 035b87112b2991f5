import { encryptWith } from '../../../src/engine/vault/secrets.ts';

/** Playbooks with one fault or several, and what is said of them. */
export interface BadPlaybook {
  readonly title: string;
  readonly files: Readonly<Record<string, string>>;
  /** Of the command line; files are relative to the playbook. */
  readonly flags?: Readonly<Record<string, readonly string[]>>;
  /** Lines that are printed, all of them. */
  readonly says: readonly string[];
}

/** A playbook of one play with the given tasks, from its fourth line on. */
function tasks(...lines: readonly string[]): Record<string, string> {
  const head = ['- hosts: localhost', '  gather_facts: false', '  tasks:'];
  return { 'play.yaml': [...head, ...lines.map((line) => `    ${line}`), ''].join('\n') };
}

function play(...lines: readonly string[]): Record<string, string> {
  return { 'play.yaml': `${lines.join('\n')}\n` };
}

const HERE = '(searched in .)';

const SECRET = encryptWith({ label: 'default', password: 'the right one' }, 'a: 1\n');

/** Faults that are found before anything runs. */
export const BAD_PLAYBOOKS: readonly BadPlaybook[] = [
  {
    title: 'tabs',
    files: play('- hosts: all', '  tasks:', '\t- debug: {}'),
    says: ['play.yaml:3:1  a tab is used for indentation (indent with spaces)'],
  },
  {
    title: 'end_role where there is no role to leave',
    files: play(
      '- hosts: all',
      '  tasks: [{meta: end_role}]',
      '  handlers: [{name: h, meta: end_role}]',
    ),
    says: [
      'play.yaml:2:11  meta: end_role stands outside of a role (use end_host or end_play)',
      'play.yaml:3:14  meta: end_role cannot be a handler',
    ],
  },
  {
    title: 'files of a role that lie outside of it, or are not there',
    files: {
      ...tasks(
        '- import_role: {name: r, tasks_from: ../../../evil}',
        '- import_role: {name: r, vars_from: ../../../more.yml}',
        '- import_role: {name: r, handlers_from: nosuch}',
        '- import_role: {name: r, tasks_from: sub/../ok}',
      ),
      'evil.yml': '[]',
      'more.yml': '{}',
      'roles/r/tasks/main.yml': '[]',
      'roles/r/tasks/ok.yml': '[]',
      'roles/r/tasks/sub/a.yml': '[]',
      'roles/r/vars/main.yml': '{}',
      'roles/r/handlers/main.yml': '[]',
    },
    says: [
      'play.yaml:4:7  "../../../evil" is not inside roles/r/tasks (a role loads its own files only; put it into tasks/)',
      'play.yaml:5:7  "../../../more.yml" is not inside roles/r/vars (a role loads its own files only; put it into vars/)',
      'play.yaml:6:7  the role "r" has no handlers/nosuch',
    ],
  },
  {
    title: 'an unquoted template',
    files: tasks('- debug:', '    msg: {{ foo }}'),
    says: [
      'play.yaml:5:14  a value that starts with "{{" or "{%" is not quoted (write the whole value in quotes: "{{ … }}")',
    ],
  },
  {
    title: 'a second document',
    files: play('- hosts: all', '---', '- hosts: all'),
    says: [
      'play.yaml:2:1  a second YAML document begins here, but this file may hold only one (move it to a file of its own)',
    ],
  },
  {
    title: 'no playbook at all',
    files: {},
    says: ['the playbook "play.yaml" does not exist'],
  },
  {
    title: 'an empty file',
    files: play(''),
    says: ['play.yaml:1:1  a playbook is a list of plays (start each play with "- hosts: …")'],
  },
  {
    title: 'a play without hosts',
    files: play('- tasks: []'),
    says: ['play.yaml:1:3  the play has no hosts (add "hosts: all" or a pattern)'],
  },
  {
    title: 'a play whose hosts are an empty list',
    files: play('- hosts: []', '  tasks: []'),
    says: ['play.yaml:1:3  hosts is empty (name a group, a host or "all")'],
  },
  {
    title: 'an unknown module',
    files: tasks('- copyy: {}', '- community.general.ini_fiel: {}'),
    says: [
      'play.yaml:4:7  there is no module "copyy" (did you mean "copy"?)',
      'play.yaml:5:7  there is no module "community.general.ini_fiel" (did you mean "community.general.ini_file"?)',
    ],
  },
  {
    title: 'misspelt keywords',
    files: {
      'play.yaml': `${tasks('- debug: {}', '  wehn: true')['play.yaml']}  rolse: []\n`,
    },
    says: [
      'play.yaml:5:7  "wehn" is neither a keyword of a task nor a module (did you mean "when"?)',
      'play.yaml:6:3  "rolse" is not a keyword of a play (did you mean "roles"?)',
    ],
  },
  {
    title: 'a task without a module, and one with two',
    files: tasks('- name: nothing', '- debug: {}', '  ping: {}'),
    says: [
      'play.yaml:4:7  this task names no module (add one, e.g. "ansible.builtin.debug:")',
      'play.yaml:6:7  the task has two modules, "debug" and "ping" (make two tasks of it)',
    ],
  },
  {
    title: 'wrong arguments of modules, all at once',
    files: tasks(
      '- debug: {mgs: a}',
      '- fail: {msg: a, masg: b}',
      '- wait_for: {port: ssh}',
      '- lineinfile: {line: y}',
      '- group: {name: a, state: preset}',
      '- user: {name: a, uid: [1]}',
      '- debug: just text',
    ),
    says: [
      'play.yaml:4:15  debug: unknown argument "mgs" (did you mean "msg"? supported: msg, var, verbosity)',
      'play.yaml:5:22  fail: unknown argument "masg" (did you mean "msg"? supported: msg)',
      'play.yaml:6:18  wait_for: port: "ssh" is not a whole number',
      'play.yaml:7:7  lineinfile: missing required argument: path',
      'play.yaml:8:24  group: state: "preset" is not one of present, absent (did you mean "present"?)',
      'play.yaml:9:23  user: uid: a list is not a whole number',
      'play.yaml:10:14  the module "debug" takes no free-form text ("just text") (write name=value pairs or a mapping)',
    ],
  },
  {
    title: 'values of keywords that have the wrong type',
    files: tasks('- debug: {}', '  when: {a: b}', '  retries: [1]', '  vars: text', '  become: 5'),
    says: [
      'play.yaml:5:13  when is an expression or a list of expressions, not a mapping',
      'play.yaml:6:16  retries is a whole number, not a list',
      'play.yaml:7:13  vars is a mapping, not "text"',
      'play.yaml:8:15  become is true or false, not "5"',
    ],
  },
  {
    title: 'tasks that are no list',
    files: play('- hosts: all', '  tasks:', '    debug: {}'),
    says: ['play.yaml:3:5  tasks is a list, not a mapping'],
  },
  {
    title: 'names that no variable can have',
    files: tasks(
      '- debug: {}',
      '  vars: {a-b: 1}',
      '- debug: {}',
      '  register: a b',
      '- debug: {}',
      '  register: 200',
    ),
    says: [
      'play.yaml:5:14  "a-b" in vars is not a variable name (start with a letter or an underscore, go on with letters, digits and underscores; true, false and none are no names)',
      'play.yaml:7:17  register: "a b" is not a variable name (start with a letter or an underscore, go on with letters, digits and underscores; true, false and none are no names)',
      'play.yaml:9:17  register: "200" is not a variable name (start with a letter or an underscore, go on with letters, digits and underscores; true, false and none are no names)',
    ],
  },
  {
    title: 'a loop that does not exist',
    files: tasks('- debug: {}', '  with_nothing: [1]'),
    says: ['play.yaml:5:7  there is no loop "with_nothing" (use loop with a filter or query())'],
  },
  {
    title: 'a missing role',
    files: {
      ...play('- hosts: all', '  roles: [websrver]'),
      'roles/webserver/tasks/main.yaml': '[]\n',
    },
    says: ['play.yaml:2:11  the role "websrver" was not found (did you mean "webserver"?)'],
  },
  {
    title: 'a missing file of tasks',
    files: tasks('- import_tasks: gone.yaml'),
    says: [`play.yaml:4:21  the file "gone.yaml" was not found ${HERE}`],
  },
  {
    title: 'a missing vars file',
    files: play('- hosts: localhost', '  vars_files: [gone.yaml]'),
    says: [
      'play.yaml:2:16  the vars file "gone.yaml" was not found (searched in . and its directory vars)',
    ],
  },
  {
    title: 'files of tasks that import each other',
    files: {
      ...tasks('- import_tasks: a.yaml'),
      'a.yaml': '- import_tasks: b.yaml\n',
      'b.yaml': '- import_tasks: a.yaml\n',
    },
    says: ['b.yaml:1:3  "a.yaml" imports itself (use include_tasks with a condition)'],
  },
  {
    title: 'playbooks that import each other',
    files: { ...play('- import_playbook: b.yaml'), 'b.yaml': '- import_playbook: play.yaml\n' },
    says: ['b.yaml:1:3  the playbook "play.yaml" imports itself'],
  },
  {
    title: 'roles that depend on each other',
    files: {
      ...play('- hosts: all', '  roles: [a]'),
      'roles/a/meta/main.yaml': 'dependencies: [b]\n',
      'roles/b/meta/main.yaml': 'dependencies: [a]\n',
    },
    says: ['play.yaml:2:11  the role "a" depends on itself (remove one of the dependencies)'],
  },
  {
    title: 'a handler that does not exist',
    files: tasks('- debug: {}', '  changed_when: true', '  notify: gone'),
    says: [
      "play.yaml:4:7  The requested handler 'gone' was not found in either the main handlers list nor in the listening handlers list (name a handler of the play or of one of its roles, or a topic that one listens to)",
    ],
  },
  {
    title: 'defaults for what does not exist',
    files: play(
      '- hosts: all',
      '  module_defaults:',
      '    copyy: {mode: 0}',
      '    group/nonesuch: {}',
      '    group/k9s: {}',
      '    group/kubernetes.core.k8s: {}',
      '    yum: {name: x}',
      '  tasks:',
      '    - debug: {}',
      '      module_defaults: "{{ some }}"',
    ),
    says: [
      'play.yaml:3:5  module_defaults: there is no module "copyy" (did you mean "copy"?)',
      'play.yaml:4:5  module_defaults: there is no action group "group/nonesuch" (name the modules one by one)',
      'play.yaml:5:5  module_defaults: there is no action group "group/k9s" (did you mean "group/k8s"?)',
      'play.yaml:10:24  module_defaults is a mapping or a list of mappings, not "{{ some }}"',
    ],
  },
  {
    title: 'what is not supported yet',
    files: play(
      '- hosts: all',
      '  strategy: debug',
      '  gather_facts: false',
      '  tasks:',
      '    - command: id',
      '      debugger: always',
    ),
    says: [
      'play.yaml:2:13  there is no strategy "debug" (use one of: linear, free, host_pinned)',
      'play.yaml:6:7  the keyword "debugger" is not supported yet (run with --step to stop before each task)',
    ],
  },
  {
    title: 'prompts for variables',
    files: play(
      '- hosts: all',
      '  vars_prompt:',
      '    - {name: a, privat: true, confirm: perhaps, encrypt: rot13, salt_size: none}',
      '    - {prompt: Which}',
      '    - c',
    ),
    says: [
      'play.yaml:3:17  "privat" is not an option of vars_prompt (did you mean "private"?)',
      'play.yaml:3:40  confirm is true or false, not "perhaps"',
      'play.yaml:3:58  there is no password hash named "rot13" (known: sha512, sha512_crypt, sha256, sha256_crypt, md5, md5_crypt, blowfish, bcrypt)',
      'play.yaml:3:76  salt_size is a number of characters, not "none"',
      'play.yaml:4:7  an entry of vars_prompt has no name (write "name: VARIABLE")',
      'play.yaml:5:7  an entry of vars_prompt is not a mapping (write "- name: VARIABLE")',
    ],
  },
  {
    title: 'vault data that is cut short',
    files: {
      ...play('- hosts: localhost', '  vars_files: [secret.yaml]'),
      'secret.yaml': '$ANSIBLE_VAULT;1.1;AES256\n3030\n',
    },
    says: ['secret.yaml:1:1  this is not valid vault data: it is cut short'],
  },
  {
    title: 'a vaulted file without a password',
    files: { ...play('- hosts: localhost', '  vars_files: [secret.yaml]'), 'secret.yaml': SECRET },
    says: [
      'secret.yaml:1:1  this is encrypted, and no vault password is given (give --vault-password-file, --vault-id or --ask-vault-pass)',
    ],
  },
  {
    title: 'a vaulted file with the wrong password',
    files: { ...play('- hosts: localhost', '  vars_files: [secret.yaml]'), 'secret.yaml': SECRET },
    flags: { vaultPasswordFile: ['password'] },
    says: [
      'secret.yaml:1:1  this is encrypted, and the vault password does not open it (check the password and its vault id)',
    ],
  },
  {
    title: 'groups of the inventory that contain each other',
    files: { ...play('- hosts: all'), 'hosts.ini': '[a:children]\nb\n[b:children]\na\n' },
    flags: { inventory: ['hosts.ini'] },
    says: ['hosts.ini:4:1  the group "b" would contain itself: b > a > b'],
  },
];

/** Faults that only the task itself can meet. */
export const FAILING_PLAYBOOKS: readonly BadPlaybook[] = [
  {
    title: 'an undefined variable',
    files: tasks('- debug:', '    msg: "Hello {{ persn }}"', '  vars: {person: Ada}'),
    says: [`play.yaml:5:24  'persn' is undefined (did you mean "person"?)`],
  },
  {
    title: 'an undefined variable in a condition',
    files: tasks('- debug: {}', '  when: persn == 1'),
    says: ["play.yaml:5:13  'persn' is undefined"],
  },
  {
    title: 'an undefined variable behind another',
    files: tasks('- debug: {msg: "{{ text }}"}', '  vars:', '    text: "Hello {{ persn }}"'),
    says: ["play.yaml:6:25  'persn' is undefined"],
  },
  {
    title: 'a template that is cut short',
    files: tasks('- debug:', '    msg: "Hello {{ person | }} you"'),
    says: [
      'play.yaml:5:33  template syntax: unexpected "}}", expected name in "Hello {{ person | }} you"',
    ],
  },
  {
    title: 'a template of several lines',
    files: tasks('- debug:', '    msg: |', '      one', '      two {% if x %}'),
    says: [
      'play.yaml:7:25  template syntax: unexpected end of template, {% endif %} is missing in "two {% if x %}"',
    ],
  },
  {
    title: 'an unknown filter',
    files: tasks('- debug: {msg: "{{ 1 | trimm }}"}'),
    says: ['play.yaml:4:28  there is no filter named "trimm" (did you mean "trim"?)'],
  },
  {
    title: 'a loop over something else than a list',
    files: tasks('- debug: {}', '  loop: "{{ {1: 2} }}"'),
    says: ['play.yaml:5:13  loop needs a list, and this is a dict (use "| dict2items")'],
  },
  {
    title: 'a missing file to include',
    files: tasks('- include_tasks: gone.yaml'),
    says: [
      `play.yaml:4:22  Could not find or access 'gone.yaml' on the Ansible Controller. ${HERE}`,
    ],
  },
  {
    title: 'files that include each other',
    files: {
      ...tasks('- include_tasks: a.yaml'),
      'a.yaml': '- include_tasks: b.yaml\n',
      'b.yaml': '- include_tasks: a.yaml\n',
    },
    says: [
      '"b.yaml" is included inside itself without end (add a condition that ends the includes)',
    ],
  },
  {
    title: 'an included file that is wrong',
    files: { ...tasks('- include_tasks: a.yaml'), 'a.yaml': '- copyy: {}\n- debug: {mgs: a}\n' },
    says: [
      'a.yaml:1:3  there is no module "copyy" (did you mean "copy"?)',
      'a.yaml:2:11  debug: unknown argument "mgs" (did you mean "msg"? supported: msg, var, verbosity)',
    ],
  },
  {
    title: 'a vaulted value with the wrong password',
    files: {
      'play.yaml': `- hosts: localhost\n  gather_facts: false\n  vars:\n    a: !vault |\n${SECRET.replaceAll(/^/gm, '      ')}\n  tasks:\n    - debug: {var: a}\n`,
    },
    flags: { vaultPasswordFile: ['password'] },
    says: [
      'play.yaml:4:15  this is encrypted, and the vault password does not open it (check the password and its vault id)',
    ],
  },
];
