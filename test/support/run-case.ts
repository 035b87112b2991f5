/** Plays one case of a module on a fake host, as the engine does, and checks what comes out. */
import { expect } from 'chai';
import type {
  FrontModule,
  Module,
  Plan,
  Reader,
  RunModule,
  StateModule,
  Step,
  StepOutput,
  Writer,
} from '../../src/engine/module.ts';
import { toPlain, type Value } from '../../src/engine/values.ts';
import { parseArgs } from '../../src/shared/validate.ts';
import { dict, fakeController, fakeConversation } from './fake-conversation.ts';
import { FakeHost } from './fake-host.ts';
import type { Expectation, ModuleCase } from './module-case.ts';

type State = StateModule<unknown, unknown, unknown>;

/** Plays a case. Throws AssertionError where something differs. */
export async function runCase(module: Module, given: ModuleCase): Promise<void> {
  const { error } = given.expect;
  if (error === undefined) return play(module, given);
  const message = await play(module, given).then(
    () => undefined,
    (thrown: Error & { readonly hint?: string }) => `${thrown.message} (${thrown.hint})`,
  );
  expect(message, 'the message of the error, and its cure').to.be.a('string').that.includes(error);
}

async function play(module: Module, given: ModuleCase): Promise<void> {
  const args = parseArgs(module.args, module, given.args);
  if ('probe' in module) await playState(module, given, args);
  else if ('run' in module) await playConversation(module, given, args);
  else await playFront(module, given, args);
}

async function playState(module: State, given: ModuleCase, args: unknown): Promise<void> {
  const host = new FakeHost(given.host);
  const controller = fakeController(given.controller);
  const input = (await module.prepare?.(controller, args)) ?? args;
  const plan = purePlan(module, await module.probe(readOnly(host), input), input);
  comparePlan(plan, given.expect);
  if (given.check === true) {
    const result = plan.unknowable ?? module.report?.(plan.after, input, plan, []) ?? {};
    return compareResult(result, given.expect);
  }
  const outputs = await carryOut(module, host, plan, input);
  host.undergo(plan.effects);
  host.become(given.after ?? {});
  const reached = await module.probe(readOnly(host), input);
  compareResult(module.report?.(reached, input, plan, outputs) ?? {}, given.expect);
  const residue = purePlan(module, reached, input).steps.filter(({ always }) => always !== true);
  expect(residue, 'steps that are left when the plan is made again').to.deep.equal([]);
  expectSecretsKept(module, given.args, plan);
}

/** A plan must be the same each time, and must leave its inputs alone. */
function purePlan(module: State, state: unknown, input: unknown): Plan<unknown> {
  deepFreeze(state);
  deepFreeze(input);
  const plan = module.plan(state, input);
  expect(module.plan(state, input), 'the same plan again').to.deep.equal(plan);
  return plan;
}

async function carryOut(
  module: State,
  host: Writer,
  plan: Plan<unknown>,
  input: unknown,
): Promise<readonly StepOutput[]> {
  if (plan.steps.length === 0) return [];
  if (module.apply !== undefined) return module.apply(host, plan, input);
  const outputs: StepOutput[] = [];
  for (const step of plan.steps) outputs.push(await host.perform(step));
  return outputs;
}

async function playConversation(
  module: RunModule<unknown>,
  given: ModuleCase,
  args: unknown,
): Promise<void> {
  if (given.check === true && module.resultInCheckMode !== undefined) {
    return compareResult(module.resultInCheckMode(args), given.expect);
  }
  const host = new FakeHost(given.host);
  const talk = fakeConversation(
    host,
    fakeController(given.controller),
    dict(given.args),
    given.task,
  );
  const { result, effects } = await module.run(talk, args);
  compareResult(result, given.expect);
  if (given.expect.steps !== undefined) compareSteps(host.performed, given.expect.steps);
  if (given.expect.run !== undefined) expectMembers(plain(effects ?? {}), given.expect.run, 'run');
}

async function playFront(
  module: FrontModule<unknown>,
  given: ModuleCase,
  args: unknown,
): Promise<void> {
  const known = given.task?.evaluates ?? {};
  const choice = await module.choose(readOnly(new FakeHost(given.host)), args, known);
  const asked = Object.keys(known).filter((name) => !module.consults.includes(name));
  expect(asked, 'what the case knows and the module does not consult').to.deep.equal([]);
  compareWarnings(choice, given.expect);
  if (given.expect.choice !== undefined) expectMembers(choice, given.expect.choice, 'choice');
}

/** Only what a probe may use: writing through it is a type error and a run-time error. */
function readOnly(host: FakeHost): Reader {
  const forbidden = () => {
    throw new Error('a probe only reads');
  };
  return new Proxy(host, {
    get(target, key) {
      if (key === 'perform' || key === 'download') return forbidden;
      const member: unknown = Reflect.get(target, key, target);
      return typeof member === 'function' ? member.bind(target) : member;
    },
  });
}

function comparePlan(plan: Plan<unknown>, wanted: Expectation): void {
  const counting = plan.steps.filter(({ quiet }) => quiet !== true);
  if (wanted.steps !== undefined) compareSteps(plan.steps, wanted.steps);
  if (wanted.changed !== undefined) expect(counting.length > 0, 'changed').to.equal(wanted.changed);
  if (wanted.effects !== undefined) expectMembers(plan.effects, wanted.effects, 'effects');
  if (wanted.diff !== undefined) expectMembers(plan.diff, wanted.diff, 'diff');
  compareWarnings(plan, wanted);
}

function compareWarnings(
  { warnings = [] }: { readonly warnings?: readonly string[] },
  wanted: Expectation,
): void {
  if (wanted.warnings !== undefined) expect(warnings, 'warnings').to.deep.equal(wanted.warnings);
}

function compareSteps(steps: readonly Step[], wanted: NonNullable<Expectation['steps']>): void {
  const lines = steps.map(stepLine);
  expect(lines, `the steps: ${lines.join('\n')}`).to.have.length(wanted.length);
  wanted.forEach((want, i) => {
    if (typeof want !== 'string') expectMembers(simpleStep(steps[i]), want, `steps[${i}]`);
    else expect(lines[i], `steps[${i}]`).to.match(asPattern(want));
  });
}

function asPattern(text: string): RegExp {
  const parts = text.split('*').map((part) => part.replace(/[$()+.?[\\\]^{|}]/g, '\\$&'));
  return new RegExp(`^${parts.join('.*')}$`, 's');
}

function stepLine(step: Step): string {
  return step.kind === 'run' ? step.command.line : `write ${step.path}`;
}

/** A step as cases write it: `command` and `content` are text. */
function simpleStep(step: Step | undefined): unknown {
  if (step === undefined) return undefined;
  if (step.kind === 'run') return { ...step, command: step.command.line };
  const { content } = step;
  return { ...step, content: content.kind === 'text' ? content.text : content };
}

function compareResult(result: Readonly<Record<string, unknown>>, wanted: Expectation): void {
  if (wanted.result !== undefined) expectMembers(plain(result), wanted.result, 'result');
}

/** Compares deeply; a mapping needs only hold what is wanted of it, a wanted null may be absent. */
function expectMembers(actual: unknown, wanted: unknown, at: string): void {
  if (Array.isArray(wanted) && Array.isArray(actual)) {
    expect(actual, at).to.have.length(wanted.length);
    wanted.forEach((each, i) => {
      expectMembers(actual[i], each, `${at}[${i}]`);
    });
  } else if (isMapping(wanted) && isMapping(actual)) {
    for (const [key, each] of Object.entries(wanted))
      expectMembers(actual[key], each, `${at}.${key}`);
  } else {
    expect(actual ?? null, at).to.deep.equal(wanted);
  }
}

function isMapping(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** Data without the language's own types, for comparing. */
function plain(value: unknown): Record<string, unknown> {
  return deepPlain(value) as Record<string, unknown>; // A result or the effects of a run: an object.
}

function deepPlain(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(deepPlain);
  if (value instanceof Map) return toPlain(value as ReadonlyMap<Value, Value>); // The only Maps are dicts.
  if (!isMapping(value) || Object.getPrototypeOf(value) !== Object.prototype) {
    return toPlain(value as Value); // What is left is a scalar of the language.
  }
  return Object.fromEntries(Object.entries(value).map(([key, each]) => [key, deepPlain(each)]));
}

function deepFreeze(value: unknown): void {
  if (typeof value !== 'object' || value === null || Object.isFrozen(value)) return;
  if (ArrayBuffer.isView(value)) return;
  Object.freeze(value);
  for (const member of value instanceof Map ? value.values() : Object.values(value)) {
    deepFreeze(member);
  }
}

/** Secrets may travel in a step's stdin or in a file, never in a command line, a diff or an effect. */
function expectSecretsKept(
  module: Module,
  args: Record<string, unknown>,
  plan: Plan<unknown>,
): void {
  const secrets = Object.entries(module.args.shape ?? {})
    .filter(([, field]) => field.secret)
    .flatMap(([name, { aliases }]) => [name, ...aliases].map((key) => args[key]))
    .filter((value) => typeof value === 'string' && value.length > 2);
  const shown = JSON.stringify([plan.diff, plan.effects, plan.warnings, plan.steps.map(stepLine)]);
  for (const each of secrets) expect(shown, 'the plan as it is shown').not.to.include(each);
}
