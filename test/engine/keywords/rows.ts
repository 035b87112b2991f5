/** The rows of the table: every keyword of every place with values that are hardly meant, each a playbook of its own. */
import {
  KEYWORDS,
  type KeywordType,
  keywordsOf,
  type Level,
} from '../../../src/engine/playbook/keywords.ts';

/** One playbook: a keyword at its place with a value. */
export interface Row {
  /** `place keyword value`, the value as JSON. */
  readonly title: string;
  readonly place: string;
  readonly keyword: string;
  readonly files: Readonly<Record<string, string>>;
}

type Json = string | number | boolean | null | readonly Json[] | { readonly [key: string]: Json };
type JsonDict = Readonly<Record<string, Json>>;

const OMIT = '{{ omit }}';

const EMPTY: readonly Json[] = [null, '', OMIT, '{{ nowhere }}'];

/** What each type does not take. */
const WRONG: Readonly<Record<KeywordType, readonly Json[]>> = {
  text: [5, ['a'], { a: 1 }],
  bool: ['word', ['a']],
  int: ['word', ['a'], true],
  float: ['word', ['a']],
  percent: ['word', ['a']],
  texts: [5, { a: 1 }],
  words: [5, { a: 1 }],
  names: [5, { a: 1 }],
  numbers: ['word', { a: 1 }],
  dict: [5, ['a']],
  dicts: [5, ['a']],
  conditions: [5, { a: 1 }],
  list: ['word', { a: 1 }],
  any: [5, ['a']],
};

/** Members of loop_control with what they do not take. */
const LOOP_CONTROL: Readonly<Record<string, readonly Json[]>> = {
  loop_var: [5, ['a'], 'no name', '5'],
  index_var: [5, ['a'], 'no name', '5'],
  label: [5, ['a'], { a: 1 }],
  pause: ['word', ['a']],
  extended: ['word', ['a'], 5],
  extended_allitems: ['word', ['a'], 5],
  break_when: [5, ['a'], { a: 1 }, []],
  nonsense: [5],
};

const PROBE = { name: 'probe', debug: { msg: 'probe' } };
const AFTER = { name: 'after', debug: { msg: 'after' } };
const INNER = [{ name: 'inner', debug: { msg: 'inner' } }];

/** Builds the files of a playbook with a keyword at one place. */
type Build = (keywords: JsonDict) => Readonly<Record<string, Json>>;

interface Place {
  readonly level: Level;
  readonly build: Build;
}

function play(members: JsonDict): Json {
  return [{ hosts: 'localhost', gather_facts: false, ...members }];
}

function taskOf(task: JsonDict, keywords: JsonDict): JsonDict {
  const { action, local_action: local, ...others } = keywords;
  const needs = ['retries', 'delay'].some((name) => name in others) ? { until: false } : {};
  const loop = 'loop_control' in others ? { loop: [1, 2] } : {};
  if (action === undefined && local === undefined) return { ...needs, ...loop, ...task, ...others };
  return { name: 'probe', ...keywords };
}

const HANDLER = { name: 'h', debug: { msg: 'h' } };
const NOTIFIER = { name: 'notifier', debug: { msg: 'x' }, changed_when: true, notify: 'h' };

/** A task in the play, with what else it needs. */
function withTask(task: JsonDict): Build {
  return (keywords) => ({
    'play.yaml': play({ tasks: [taskOf(task, keywords), AFTER], handlers: [HANDLER] }),
    'inner.yaml': INNER,
    'roles/r/tasks/main.yaml': INNER,
  });
}

const PLACES: Readonly<Record<string, Place>> = {
  play: {
    level: 'play',
    build: (keywords) => ({ 'play.yaml': play({ tasks: [PROBE, AFTER], ...keywords }) }),
  },
  block: {
    level: 'block',
    build: (keywords) => ({
      'play.yaml': play({ tasks: [{ block: [PROBE], ...keywords }, AFTER], handlers: [HANDLER] }),
    }),
  },
  task: { level: 'task', build: withTask(PROBE) },
  handler: {
    level: 'handler',
    build: (keywords) => ({
      'play.yaml': play({ tasks: [NOTIFIER], handlers: [taskOf(HANDLER, keywords), AFTER] }),
    }),
  },
  include_tasks: { level: 'task', build: withTask({ name: 'probe', include_tasks: 'inner.yaml' }) },
  include_role: { level: 'task', build: withTask({ name: 'probe', include_role: { name: 'r' } }) },
  import_tasks: { level: 'task', build: withTask({ name: 'probe', import_tasks: 'inner.yaml' }) },
  import_role: { level: 'task', build: withTask({ name: 'probe', import_role: { name: 'r' } }) },
  apply: {
    level: 'block',
    build: (keywords) =>
      withTask({ name: 'probe', include_tasks: { file: 'inner.yaml', apply: keywords } })({}),
  },
  role: {
    level: 'role',
    build: (keywords) => ({
      'play.yaml': play({ roles: [{ role: 'r', ...keywords }], tasks: [AFTER] }),
      'roles/r/tasks/main.yaml': INNER,
    }),
  },
  import_playbook: {
    level: 'play',
    build: (keywords) => ({
      'play.yaml': [{ import_playbook: 'inner.yaml', ...keywords }],
      'inner.yaml': play({ tasks: [PROBE, AFTER] }),
    }),
  },
};

/** Which values tell enough where a keyword is looked at as at another place. Nothing here: all of them. */
const FEWER: Readonly<Record<string, (wrong: readonly Json[]) => readonly Json[]>> = {
  block: (wrong) => [null, '', OMIT, ...wrong.slice(-1)],
  handler: (wrong) => [null, '', OMIT, ...wrong.slice(0, 1)],
  apply: (wrong) => [null, '', OMIT, ...wrong.slice(-1)],
  role: (wrong) => [null, '', OMIT, ...wrong.slice(-1)],
  include_tasks: (wrong) => [null, OMIT, ...wrong.slice(-1)],
  include_role: () => [null],
  import_tasks: (wrong) => [OMIT, ...wrong.slice(-1)],
  import_role: () => [null, OMIT],
  import_playbook: (wrong) => [null, ...wrong.slice(-1)],
};

/** All rows, always in the same order. */
export function keywordRows(): readonly Row[] {
  return [...Object.entries(PLACES).flatMap(rowsOf), ...loopControlRows()];
}

function rowsOf([place, { level, build }]: readonly [string, Place]): Row[] {
  return namesAt(place, level).flatMap((keyword) => {
    const wrong = WRONG[KEYWORDS[keyword]?.type ?? 'any'];
    const values = FEWER[place]?.(wrong) ?? [...EMPTY, ...wrong];
    return values.map((value) => row(place, keyword, value, build({ [keyword]: value })));
  });
}

function namesAt(place: string, level: Level): string[] {
  const names = keywordsOf(level);
  // The statement itself is the action of a task that includes or imports.
  return /^(include|import)_(tasks|role)$/.test(place)
    ? names.filter((name) => !name.endsWith('action'))
    : names;
}

function loopControlRows(): Row[] {
  const build = withTask(PROBE);
  return Object.entries(LOOP_CONTROL).flatMap(([member, wrong]) =>
    [...EMPTY, ...wrong].map((value) =>
      row('loop_control', member, value, build({ loop_control: { [member]: value } })),
    ),
  );
}

function row(
  place: string,
  keyword: string,
  value: Json,
  files: Readonly<Record<string, Json>>,
): Row {
  const texts = Object.entries(files).map(([name, json]) => [name, JSON.stringify(json)]);
  const title = `${place} ${keyword} ${JSON.stringify(value)}`;
  return { title, place, keyword, files: Object.fromEntries(texts) };
}
