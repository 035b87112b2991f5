import { Command } from 'commander';
import type { Module } from '../../engine/module.ts';
import { moduleNames, registry } from '../../modules/registry.ts';
import { didYouMean, InvalidInput } from '../../shared/errors.ts';
import { describeModule, renderModuleSnippet, renderModuleText } from '../output/module-text.ts';

interface Flags {
  readonly list?: boolean;
  readonly json?: boolean;
  readonly snippet?: boolean;
}

/** `tsprov doc [MODULE…]`: what modules are for, their arguments, examples and results. */
export function docCommand(): Command {
  return new Command('doc')
    .summary('show the documentation of modules')
    .description('Show the documentation of modules; without a name, the list of all.')
    .argument('[module...]', 'short or full names of modules')
    .option('-l, --list', 'list the modules')
    .option('-j, --json', 'print data instead of text')
    .option('-s, --snippet', 'print a task to start from')
    .action(async (names: string[], flags: Flags) => {
      process.stdout.write(await renderDoc(names, flags));
    });
}

/** What the command prints. Throws InvalidInput on names that no module has. */
export async function renderDoc(names: readonly string[], flags: Flags): Promise<string> {
  const canonical =
    names.length > 0 && flags.list !== true ? resolve(names) : Object.keys(registry);
  const modules = await Promise.all(canonical.map(load));
  const isList = names.length === 0 || flags.list === true;
  if (flags.json === true) return renderData(modules, isList);
  if (isList) return renderList(modules);
  const render = flags.snippet === true ? renderModuleSnippet : renderModuleText;
  return modules.map(render).join('\n');
}

function resolve(names: readonly string[]): readonly string[] {
  const unknown = names.filter((name) => !Object.hasOwn(moduleNames, name));
  const problems = unknown.map((name) => ({
    message: `there is no module "${name}"`,
    hint: didYouMean(name, Object.keys(moduleNames)) ?? 'tsprov doc --list names all',
  }));
  if (problems.length > 0) throw new InvalidInput(problems);
  return names.map((name) => moduleNames[name] ?? name);
}

async function load(name: string): Promise<Module> {
  const module = await registry[name]?.();
  if (module === undefined) throw new Error(`the registry has no module ${name}`);
  return module;
}

function renderData(modules: readonly Module[], isList: boolean): string {
  const entries = modules.map((module) => {
    return [module.name, isList ? module.summary : describeModule(module)] as const;
  });
  return `${JSON.stringify(Object.fromEntries(entries), undefined, 2)}\n`;
}

function renderList(modules: readonly Module[]): string {
  const width = Math.max(...modules.map(({ name }) => name.length)) + 2;
  return modules.map(({ name, summary }) => `${name.padEnd(width)}${summary}\n`).join('');
}
