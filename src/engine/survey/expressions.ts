/** What the templates and conditions of a task say that nobody can evaluate. */
import type { Jinja, Remark } from '../jinja/jinja.ts';
import type { Module } from '../module.ts';
import { isOwnText } from '../own-text.ts';
import { inheritedBy } from '../playbook/inherited.ts';
import { isInclude, type Task } from '../playbook/model.ts';
import { type Position, TrustedTemplate, type Value } from '../values.ts';
import { templatesIn } from './templates-in.ts';
import type { Visit } from './tour.ts';

/** A remark on a task, and whether the run certainly stumbles over it. */
export interface Stumble {
  readonly remark: Remark;
  readonly isCertain: boolean;
}

/** Keywords whose values are rendered before the module runs, whoever hands them down. */
const RENDERED = ['delegate_to', 'become_user', 'remote_user', 'port'];
const CONDITIONS = ['until', 'changed_when', 'failed_when'];

/** What there is to say of the texts of a task. */
export function stumblesOf(visit: Visit, jinja: Jinja, module: Module | undefined): Stumble[] {
  const { task, isCertain, isReached } = visit;
  if (task.implicit === true) return [];
  const hasWhen = (task.keywords.get('when') ?? true) !== true;
  return [
    ...conditions(jinja, conditionsAround(task), visit.isMet),
    ...conditions(jinja, task.keywords.get('when') ?? null, isReached && task.loop === undefined),
    ...loopStumbles(jinja, task.loop, isReached && !hasWhen),
    ...(task.unavailable === undefined ? argumentStumbles(visit, jinja, module) : []),
    ...values(jinja, renderedKeywords(task), isCertain),
    ...CONDITIONS.flatMap((name) =>
      withoutNeeds(conditions(jinja, task.keywords.get(name) ?? null, isCertain)),
    ),
    ...withoutNeeds(values(jinja, task.vars, false)),
  ];
}

function renderedKeywords(task: Task): Value {
  const { nearest, environment } = inheritedBy(task);
  // What brings tasks in is nothing that runs on a host.
  if (task.module === 'meta' || isInclude(task))
    return RENDERED.map((name) => task.keywords.get(name) ?? null);
  return [...environment, ...RENDERED.map((name) => nearest(name) ?? null)];
}

/** Conditions of blocks, roles and includes, in the order in which they are looked at. */
function conditionsAround(task: Task): readonly Value[] {
  const own = task.keywords.get('when') ?? [];
  const { when } = inheritedBy(task);
  return when.slice(0, when.length - (Array.isArray(own) ? own.length : 1));
}

/** Of files that may be missing, so may the names. */
function loopStumbles(jinja: Jinja, loop: Task['loop'], isCertain: boolean): Stumble[] {
  const stumbles = values(jinja, loop?.value ?? null, isCertain);
  return loop?.lookup === 'first_found' ? withoutNeeds(stumbles) : stumbles;
}

function argumentStumbles({ task, isCertain }: Visit, jinja: Jinja, module?: Module): Stumble[] {
  const asWritten = new Set(module?.asWritten ?? []);
  const written = [...task.args].flatMap(([name, value]) =>
    asWritten.has(name) ? writtenStumbles(jinja, value, { task, name, isCertain }) : [],
  );
  const rendered = [...task.args]
    .filter(([name]) => !asWritten.has(name))
    .map(([, value]) => value);
  return [
    ...written,
    ...values(jinja, rendered, isCertain),
    ...values(jinja, task.argsTemplates, isCertain),
  ];
}

interface Written {
  readonly task: Task;
  readonly name: string;
  readonly isCertain: boolean;
}

/** Arguments that are expressions: `that` of assert, `var` of debug. */
function writtenStumbles(
  jinja: Jinja,
  value: Value,
  { task, name, isCertain }: Written,
): Stumble[] {
  const position = task.argPositions.get(name) ?? task.position;
  const placed = placedExpressions(value, position);
  return name === 'that'
    ? conditions(jinja, placed, isCertain)
    : withoutNeeds(conditions(jinja, placed, isCertain));
}

function placedExpressions(value: Value, position: Position): Value {
  if (Array.isArray(value)) return value.map((each) => placedExpressions(each, position));
  return typeof value === 'string' && isOwnText(value)
    ? new TrustedTemplate(value, position)
    : value;
}

/** Leaves out what nobody can tell of texts that are evaluated later, or by somebody else. */
function withoutNeeds(stumbles: readonly Stumble[]): Stumble[] {
  return stumbles.filter(({ remark: { kind } }) => kind !== 'variable' && kind !== 'file');
}

/** Of several conditions only the first is certainly looked at. */
function conditions(
  jinja: Jinja,
  written: Value | readonly Value[],
  isCertain: boolean,
): Stumble[] {
  const list: readonly Value[] = Array.isArray(written) ? written : [written];
  return list.flatMap((condition, i) =>
    condition instanceof TrustedTemplate
      ? toStumbles(jinja.inspectCondition(condition), isCertain && i === 0)
      : [],
  );
}

function values(jinja: Jinja, value: Value, isCertain: boolean): Stumble[] {
  return templatesIn(value).flatMap((template) =>
    toStumbles(jinja.inspectValue(template), isCertain),
  );
}

function toStumbles(remarks: readonly Remark[], isCertain: boolean): Stumble[] {
  return remarks.map((remark) => ({ remark, isCertain: isCertain && remark.isCertain }));
}
