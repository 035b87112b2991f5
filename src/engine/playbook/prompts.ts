/** `vars_prompt`: the variables of a play that a person is asked for. */
import { didYouMean } from '../../shared/errors.ts';
import { TemplateError } from '../jinja/errors.ts';
import { passwordAlgorithm } from '../jinja/filters/passwords.ts';
import { asBoolean } from '../to-boolean.ts';
import { type Dict, type Position, TrustedTemplate } from '../values.ts';
import { toValue, type YamlEntry, type YamlNode } from '../yaml-node.ts';
import { entryOf, type Source, textOf } from './source.ts';

/** A variable to be asked for, its options as they are written. */
export interface Prompt {
  readonly name: string;
  readonly options: Dict;
  readonly position: Position;
}

const FLAGS = ['private', 'confirm', 'unsafe'];
const OPTIONS = ['name', 'prompt', 'default', ...FLAGS, 'encrypt', 'salt', 'salt_size'];

/** Reads the prompts of a play: a list, or a single one. */
export function readPrompts(source: Source, node: YamlNode | undefined): Prompt[] {
  if (node === undefined || (node.kind === 'scalar' && node.value === null)) return [];
  return (node.kind === 'list' ? node.items : [node]).flatMap((item) => readPrompt(source, item));
}

function readPrompt(source: Source, node: YamlNode): Prompt[] {
  const { position } = node;
  if (node.kind !== 'map') {
    source.problem(
      position,
      'an entry of vars_prompt is not a mapping',
      'write "- name: VARIABLE"',
    );
    return [];
  }
  for (const entry of node.entries) checkOption(source, entry);
  const named = entryOf(node, 'name')?.node;
  const name = named === undefined ? undefined : textOf(toValue(named));
  if (name === undefined) {
    source.problem(position, 'an entry of vars_prompt has no name', 'write "name: VARIABLE"');
    return [];
  }
  const options = new Map(
    node.entries.map(({ key, node: each }) => [String(key), toValue(each)] as const),
  );
  return [{ name, options, position }];
}

function checkOption(source: Source, { key, keyPosition, node }: YamlEntry): void {
  const option = textOf(key) ?? String(key);
  if (!OPTIONS.includes(option)) {
    const known = didYouMean(option, OPTIONS) ?? `known: ${OPTIONS.join(', ')}`;
    source.problem(keyPosition, `"${option}" is not an option of vars_prompt`, known);
    return;
  }
  const value = toValue(node);
  if (value === null || value instanceof TrustedTemplate) return;
  if (FLAGS.includes(option) && asBoolean(value) === undefined)
    source.problem(node.position, `${option} is true or false, not "${String(value)}"`);
  if (option === 'salt_size' && !/^[1-9]\d*$/.test(String(value)))
    source.problem(node.position, `salt_size is a number of characters, not "${String(value)}"`);
  if (option === 'encrypt') checkAlgorithm(source, String(value), node.position);
}

function checkAlgorithm(source: Source, name: string, position: Position): void {
  try {
    passwordAlgorithm(name);
  } catch (error) {
    if (!(error instanceof TemplateError)) throw error;
    source.problem(position, error.message);
  }
}
