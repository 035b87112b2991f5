/** The keywords of Ansible's playbook language: the one statement of their levels, types and inheritance. */
import { table } from '../../shared/table.ts';

/** Where a keyword may stand. */
export type Level = 'play' | 'role' | 'block' | 'task' | 'handler' | 'import_playbook';

export type KeywordType =
  | 'text'
  | 'bool'
  | 'int'
  | 'float'
  | 'percent'
  | 'texts'
  | 'words'
  | 'names'
  | 'numbers'
  | 'dict'
  | 'dicts'
  | 'conditions'
  | 'list'
  | 'any';

interface Keyword {
  readonly levels: readonly Level[];
  readonly type: KeywordType;
  /** How a child combines its own value with its parents': `own` values are never inherited. */
  readonly inherit: 'replace' | 'extend' | 'own';
  /** Whether null is an error. */
  readonly needed?: boolean;
  /** Never rendered, so a template is an error. */
  readonly literal?: boolean;
  /** Never rendered, so a template counts as its text. */
  readonly asWritten?: boolean;
  /** Known to Ansible, not built here yet: the reason and the way round. */
  readonly notYet?: string;
}

const EVERYWHERE: readonly Level[] = [
  'play',
  'role',
  'block',
  'task',
  'handler',
  'import_playbook',
];
const INNER: readonly Level[] = ['role', 'block', 'task', 'handler'];
const PLAY: readonly Level[] = ['play'];
const TASK: readonly Level[] = ['task', 'handler'];
const BLOCK: readonly Level[] = ['block'];

function all(type: KeywordType, inherit: Keyword['inherit'] = 'replace'): Keyword {
  return { levels: EVERYWHERE, type, inherit };
}
function on(
  levels: readonly Level[],
  type: KeywordType,
  more: Partial<Pick<Keyword, 'inherit' | 'needed' | 'literal' | 'asWritten' | 'notYet'>> = {},
): Keyword {
  return { levels, type, inherit: 'own', ...more };
}

/** Every keyword by name. Source: Ansible's playbook keywords page and the behaviour of ansible-core 2.19. */
export const KEYWORDS: Readonly<Record<string, Keyword>> = table({
  name: all('text', 'own'),
  become: all('bool'),
  become_user: all('text'),
  become_method: all('text'),
  become_flags: all('text'),
  become_exe: all('text'),
  vars: all('dict', 'own'),
  environment: all('any', 'extend'),
  tags: { ...all('words', 'extend'), needed: true },
  ignore_errors: all('bool'),
  ignore_unreachable: all('bool'),
  any_errors_fatal: all('bool'),
  run_once: all('bool'),
  no_log: all('bool'),
  check_mode: all('bool'),
  diff: all('bool'),
  connection: all('text'),
  remote_user: all('text'),
  port: all('int'),
  timeout: all('int'),
  throttle: { ...all('int'), needed: true },
  module_defaults: all('dicts', 'extend'),
  debugger: { ...all('text'), notYet: 'run with --step to stop before each task' },
  collections: { ...all('words'), levels: ['play', ...INNER] },

  when: on([...INNER, 'import_playbook'], 'conditions', { inherit: 'extend' }),
  delegate_to: on(INNER, 'text', { inherit: 'replace' }),
  delegate_facts: on(INNER, 'bool', { inherit: 'replace' }),
  notify: on(['block', ...TASK], 'texts', { inherit: 'replace' }),

  block: on(BLOCK, 'list', { literal: true }),
  rescue: on(BLOCK, 'list', { literal: true }),
  always: on(BLOCK, 'list', { literal: true }),

  hosts: on(PLAY, 'names'),
  user: on(PLAY, 'text'),
  gather_facts: on(PLAY, 'bool'),
  gather_subset: on(PLAY, 'names'),
  gather_timeout: on(PLAY, 'int'),
  fact_path: on(PLAY, 'text'),
  roles: on(PLAY, 'list', { literal: true }),
  pre_tasks: on(PLAY, 'list', { literal: true }),
  tasks: on(PLAY, 'list', { literal: true }),
  post_tasks: on(PLAY, 'list', { literal: true }),
  handlers: on(PLAY, 'list', { literal: true }),
  vars_files: on(PLAY, 'any'),
  vars_prompt: on(PLAY, 'any'),
  serial: on(PLAY, 'numbers', { needed: true }),
  max_fail_percentage: on(PLAY, 'percent'),
  strategy: on(PLAY, 'text', { needed: true }),
  order: on(PLAY, 'text'),
  force_handlers: on(PLAY, 'bool'),
  validate_argspec: on(PLAY, 'any', { notYet: 'use argument_specs of a role' }),

  action: on(TASK, 'any'),
  local_action: on(TASK, 'any'),
  args: on(TASK, 'any'),
  register: on(TASK, 'text', { literal: true }),
  loop: on(TASK, 'any'),
  loop_control: on(TASK, 'dict', { needed: true }),
  until: on(TASK, 'conditions'),
  retries: on(TASK, 'int'),
  delay: on(TASK, 'float'),
  changed_when: on(TASK, 'conditions'),
  failed_when: on(TASK, 'conditions'),
  async: on(TASK, 'int', {
    notYet: 'leave it out: the connection is kept alive while a task runs',
  }),
  poll: on(TASK, 'int'),
  listen: on(['handler'], 'texts', { asWritten: true }),
});

/** The members of `loop_control`. */
export const LOOP_CONTROL: Readonly<Record<string, KeywordType>> = table({
  loop_var: 'text',
  index_var: 'text',
  label: 'text',
  pause: 'any',
  extended: 'any',
  extended_allitems: 'any',
  break_when: 'any',
});

/** Keywords that `include_tasks` and `include_role` accept; anything else belongs under `apply`. */
export const INCLUDE_KEYWORDS: ReadonlySet<string> = new Set([
  'action',
  'args',
  'collections',
  'ignore_errors',
  'loop',
  'loop_control',
  'name',
  'no_log',
  'register',
  'run_once',
  'tags',
  'timeout',
  'vars',
  'when',
  'listen',
  'notify',
]);

/** Keywords that may stand at a level, in the order of the declaration. */
export function keywordsOf(level: Level): string[] {
  return Object.keys(KEYWORDS).filter((name) => KEYWORDS[name]?.levels.includes(level));
}

const TEMPLATE = { type: 'string', pattern: '\\{[{%#]' };
const BOOLEAN_WORD = {
  type: 'string',
  pattern: '^([Yy](es)?|YES|[Nn]o?|NO|[Tt](rue)?|TRUE|[Ff](alse)?|FALSE|[Oo](n|ff)|ON|OFF|0|1)$',
};
const SCALAR = { type: ['string', 'number', 'boolean', 'null'] };

const SCHEMAS: Readonly<Record<KeywordType, object>> = {
  text: SCALAR,
  bool: { anyOf: [{ type: ['boolean', 'null'] }, { enum: [0, 1] }, BOOLEAN_WORD, TEMPLATE] },
  int: {
    anyOf: [
      { type: ['integer', 'boolean', 'null'] },
      { type: 'string', pattern: '^-?[0-9]+$' },
      TEMPLATE,
    ],
  },
  float: {
    anyOf: [{ type: ['number', 'null'] }, { type: 'string', pattern: '^-?[0-9.]+$' }, TEMPLATE],
  },
  percent: {
    anyOf: [{ type: ['number', 'null'] }, { type: 'string', pattern: '^[0-9.]+%?$' }, TEMPLATE],
  },
  texts: { anyOf: [SCALAR, { type: 'array', items: SCALAR }] },
  words: { anyOf: [{ type: ['string', 'null'] }, { type: 'array', items: SCALAR }] },
  names: { anyOf: [{ type: ['string', 'null'] }, { type: 'array', items: SCALAR }] },
  numbers: {
    anyOf: [
      { type: ['integer', 'null'] },
      { type: 'string' },
      { type: 'array', items: { type: ['integer', 'string'] } },
    ],
  },
  dict: { type: ['object', 'null'] },
  dicts: { anyOf: [{ type: ['object', 'null'] }, { type: 'array', items: { type: 'object' } }] },
  conditions: { anyOf: [SCALAR, { type: 'array' }] },
  list: { type: ['array', 'null'] },
  any: {},
};

/** What a value of a type looks like, for messages. */
export const TYPE_NAMES: Readonly<Record<KeywordType, string>> = {
  text: 'text',
  bool: 'true or false',
  int: 'a whole number',
  float: 'a number',
  percent: 'a number or a percentage',
  texts: 'text or a list of texts',
  words: 'text or a list of texts',
  names: 'text or a list of texts',
  numbers: 'a number, a percentage or a list of them',
  dict: 'a mapping',
  dicts: 'a mapping or a list of mappings',
  conditions: 'an expression or a list of expressions',
  list: 'a list',
  any: 'anything',
};

/** The JSON Schema of every keyword, whatever its level; keys that are not keywords are left to the loader. */
export const KEYWORD_SCHEMA: Readonly<Record<string, unknown>> = table({
  type: 'object',
  $defs: SCHEMAS,
  properties: Object.fromEntries(
    Object.entries(KEYWORDS).map(([name, { type }]) => [name, { $ref: `#/$defs/${type}` }]),
  ),
});
