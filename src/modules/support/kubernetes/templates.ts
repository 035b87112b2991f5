import { type Controller, TaskError, type TemplateOptions } from '../../../engine/module.ts';
import { coerce } from '../../../shared/coerce.ts';
import { didYouMean } from '../../../shared/errors.ts';
import { table } from '../../../shared/table.ts';
import { isJson, type Json } from './json.ts';

/** A text of YAML and where it is from. */
export interface SourceText {
  readonly text: string;
  readonly origin: string;
}

/** Texts that a template may be given, and their names in the engine. */
const TEXTS = {
  variable_start_string: 'variableStart',
  variable_end_string: 'variableEnd',
  block_start_string: 'blockStart',
  block_end_string: 'blockEnd',
} as const;
const FLAGS = { trim_blocks: 'trimBlocks', lstrip_blocks: 'lstripBlocks' } as const;
const NAMES = ['path', 'newline_sequence', ...Object.keys(TEXTS), ...Object.keys(FLAGS)];
const NEWLINES: Readonly<Record<string, string>> = table({
  '\\n': '\n',
  '\\r': '\r',
  '\\r\\n': '\r\n',
});

/** Renders the templates that the argument `template` names. Throws TaskError where it is malformed. */
export function renderTemplates(controller: Controller, given: unknown): readonly SourceText[] {
  return [given].flat().map((each) => {
    const written = typeof each === 'string' ? { path: each } : each;
    if (!isJson(written))
      throw new TaskError(`template: ${JSON.stringify(each)} is neither a path nor a mapping`);
    const { path } = written;
    if (typeof path !== 'string' || path === '')
      throw new TaskError('template: the path is missing');
    const file = controller.findFile('templates', path);
    return { text: controller.renderTemplate(file, optionsOf(written)), origin: file };
  });
}

function optionsOf(written: Json): TemplateOptions {
  const stray = Object.keys(written).find((name) => !NAMES.includes(name));
  if (stray !== undefined) {
    throw new TaskError(`template: unknown option "${stray}"`, { hint: didYouMean(stray, NAMES) });
  }
  const given = (name: string) => written[name] !== undefined && written[name] !== null;
  const texts = Object.entries(TEXTS).filter(([name]) => given(name));
  const flags = Object.entries(FLAGS).filter(([name]) => given(name));
  const newline = String(written['newline_sequence'] ?? '\n');
  const newlineSequence = NEWLINES[newline] ?? newline;
  if (!Object.values(NEWLINES).includes(newlineSequence)) {
    throw new TaskError('template: newline_sequence needs to be one of: \\n, \\r or \\r\\n');
  }
  return {
    trimBlocks: true,
    lstripBlocks: false,
    newlineSequence,
    ...Object.fromEntries(texts.map(([name, option]) => [option, String(written[name])])),
    ...Object.fromEntries(flags.map(([name, option]) => [option, flag(name, written[name])])),
  };
}

function flag(name: string, value: unknown): boolean {
  try {
    return coerce({ kind: 'bool', schema: {} }, value) as boolean; // What the kind converts to.
  } catch {
    throw new TaskError(`template: ${name} is neither yes nor no: ${JSON.stringify(value)}`);
  }
}
