/** Plays cases of modules to see what they would send to a host. */
import { prepareStep } from '../../src/engine/host/step-script.ts';
import type {
  Controller,
  Module,
  PathQuery,
  Step,
  StepOutput,
  TextOutput,
} from '../../src/engine/module.ts';
import { type Command, quote } from '../../src/shared/shell.ts';
import { parseArgs } from '../../src/shared/validate.ts';
import { dict, fakeController, fakeConversation } from './fake-conversation.ts';
import { FakeHost, type FakeHostData } from './fake-host.ts';
import type { ModuleCase } from './module-case.ts';

const MAX_SLEEPS = 5;

/** A text that stands in place of another one: what the host knows of the one counts for the other. */
export interface Replacement {
  readonly hostile: string;
  readonly original: string | undefined;
}

/** A host that knows what a case says of it, and keeps every script. */
class RecordingHost extends FakeHost {
  readonly scripts: string[] = [];
  readonly #replacement: Replacement;

  constructor(data: FakeHostData | undefined, replacement: Replacement) {
    super(data);
    this.#replacement = replacement;
  }

  override async read(command: Command): Promise<TextOutput> {
    this.scripts.push(command.line);
    const known = { ...command, line: this.#known(command.line) };
    return super.read(known).catch(() => ({ code: 0, stdout: '', stderr: '' }));
  }

  override path(path: string, query?: PathQuery) {
    return super.path(this.#known(path), query);
  }

  override user(name: string) {
    return super.user(this.#known(name));
  }

  override group(name: string) {
    return super.group(this.#known(name));
  }

  override unit(name: string) {
    return super.unit(this.#known(name));
  }

  override async perform(step: Step): Promise<StepOutput> {
    const { text } = await prepareStep(step, 'base64');
    this.scripts.push(text);
    if (step.kind === 'write') return super.perform(step);
    const line = this.#known(step.command.line);
    return super.perform({ ...step, command: { ...step.command, line } });
  }

  #known(text: string): string {
    const { hostile, original = '' } = this.#replacement;
    return text.replaceAll(quote(hostile), quote(original)).replaceAll(hostile, original);
  }
}

/** The scripts that a module sends for a case with other arguments, up to where it fails. */
export async function recordScripts(
  module: Module,
  given: ModuleCase,
  args: Readonly<Record<string, unknown>>,
  replacement: Replacement,
): Promise<readonly string[]> {
  const host = new RecordingHost(given.host, replacement);
  try {
    await play(module, given, { args, host, replacement });
  } catch {
    // Most values are refused, or lead to something that the case does not know.
  }
  return host.scripts;
}

interface Played {
  readonly args: Readonly<Record<string, unknown>>;
  readonly host: RecordingHost;
  readonly replacement: Replacement;
}

async function play(
  module: Module,
  given: ModuleCase,
  { args, host, replacement }: Played,
): Promise<void> {
  const checked: unknown = parseArgs(module.args, module, args);
  const controller = lenient(fakeController(given.controller), replacement);
  if ('run' in module) {
    const talk = fakeConversation(host, controller, dict(args), given.task);
    await module.run({ ...talk, sleep: limited(MAX_SLEEPS) }, checked);
  } else if ('probe' in module) {
    const input: unknown = (await module.prepare?.(controller, checked)) ?? checked;
    const plan = module.plan(await module.probe(host, input), input);
    if (module.apply !== undefined) await module.apply(host, plan, input);
    else for (const step of plan.steps) await host.perform(step);
  }
}

/** Sleeping takes no time, and what has waited so often is given up. */
function limited(most: number): () => Promise<void> {
  let left = most;
  return async () => {
    left -= 1;
    if (left < 0) throw new Error('it waits for what never comes');
  };
}

/** Finds a file under the text that stands in place of its name. */
function lenient(controller: Controller, { hostile, original = '' }: Replacement): Controller {
  return {
    ...controller,
    findFile: (kind, name) => controller.findFile(kind, name.replaceAll(hostile, original)),
  };
}
