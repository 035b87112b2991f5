/** Asks for the variables of `vars_prompt`, before the hosts of a play are chosen. */
import { InvalidInput, TaskError } from '../../shared/errors.ts';
import { TemplateError } from '../jinja/errors.ts';
import { hashPassword } from '../jinja/filters/passwords.ts';
import { ownText } from '../own-text.ts';
import type { Play } from '../playbook/model.ts';
import type { Prompt } from '../playbook/prompts.ts';
import { asBoolean } from '../to-boolean.ts';
import { type Dict, hasTemplate, TrustedTemplate, type Value } from '../values.ts';
import { LayeredScope } from '../vars/task-scope.ts';
import type { RunOptions, RunState } from './run-state.ts';

/** Throws InvalidInput for every variable that nobody can be asked for: there is no terminal, and it has no default. */
export function requireAnswers(plays: readonly Play[], options: RunOptions): void {
  if (options.ask !== undefined) return;
  const open = plays.flatMap((play) => openPrompts(play, options.extraVars));
  const problems = open
    .filter((prompt) => (prompt.options.get('default') ?? null) === null)
    .map(({ name, position }) => ({
      place: position,
      message: `the variable "${name}" is asked for, and there is no terminal`,
      hint: `give it with -e ${name}=VALUE, or a default`,
    }));
  if (problems.length > 0) throw new InvalidInput(problems);
}

/**
 * The play with the answers among its variables; undefined where the person ends the run. Variables of the command line
 * are not asked for. Throws InvalidInput.
 */
export async function withAnswers(run: RunState, play: Play): Promise<Play | undefined> {
  const answers = new Map<string, Value>();
  for (const prompt of openPrompts(play, run.options.extraVars)) {
    try {
      answers.set(prompt.name, await answerTo(run, prompt, renderedOptions(run, play, prompt)));
    } catch (error) {
      if (run.services.signal.aborted) return undefined;
      if (!(error instanceof TaskError || error instanceof TemplateError)) throw error;
      throw InvalidInput.at(prompt.position, error.message);
    }
  }
  return answers.size === 0 ? play : { ...play, vars: new Map([...play.vars, ...answers]) };
}

function openPrompts(play: Play, extraVars: Dict): Prompt[] {
  return play.prompts.filter(({ name }) => !extraVars.has(name));
}

function renderedOptions(run: RunState, play: Play, { options }: Prompt): Dict {
  const scope = new LayeredScope([run.options.extraVars, play.vars]);
  const world = { searchPath: [play.playbookDir] };
  const render = (value: Value) => run.services.jinja.renderValue(value, scope, world);
  return new Map([...options].map(([name, value]) => [name, render(value)]));
}

async function answerTo(run: RunState, { name }: Prompt, options: Dict): Promise<Value> {
  const text = (option: string) => {
    const value = options.get(option) ?? null;
    return value === null ? undefined : String(value);
  };
  const otherwise = text('default');
  const shown = otherwise === undefined ? '' : ` [${otherwise}]`;
  const question = `${text('prompt') ?? name}${shown}: `;
  const answer = (await ask(run, question, options)) || (otherwise ?? '');
  if (run.options.ask === undefined)
    run.warn(`"${name}" has its default, since there is no terminal to ask at`);
  const hash = text('encrypt');
  if (hash !== undefined) {
    const size = text('salt_size');
    const { signal } = run.services;
    return await hashPassword(answer, hash, {
      salt: text('salt'),
      saltSize: Number(size ?? 0),
      signal,
    });
  }
  if (flag(options, 'unsafe', false)) return answer;
  return hasTemplate(answer) ? new TrustedTemplate(answer) : ownText(answer);
}

/** What is typed, twice the same where that is wanted. */
async function ask(run: RunState, question: string, options: Dict): Promise<string> {
  const { ask: askOnce } = run.options;
  if (askOnce === undefined) return '';
  const echo = !flag(options, 'private', true);
  for (;;) {
    const answer = await askOnce(question, { echo });
    if (!flag(options, 'confirm', false)) return answer;
    if ((await askOnce(`confirm ${question}`, { echo })) === answer) return answer;
    run.warn('the two answers differ');
  }
}

function flag(options: Dict, name: string, otherwise: boolean): boolean {
  const value = options.get(name) ?? otherwise;
  const known = asBoolean(value);
  if (known !== undefined) return known;
  throw new TaskError(`${name} is true or false, not "${String(value)}"`);
}
