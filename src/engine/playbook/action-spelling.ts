/** How the module of a task is named: as a key, or by `action` and `local_action`. */
import { firstWord } from '../../shared/words.ts';
import { ownText } from '../own-text.ts';
import { positionAt } from '../text-position.ts';
import { hasTemplate, type Position, TrustedTemplate, type Value } from '../values.ts';
import { placedText, type YamlMap, type YamlNode } from '../yaml-node.ts';
import { entryOf, type Source, textOf } from './source.ts';

/** A module by its name, with its arguments. */
export interface Spelt {
  readonly name: string;
  readonly node: YamlNode | undefined;
  readonly position: Position;
  readonly onController: boolean;
  readonly template?: Value;
  readonly collections?: readonly string[];
}

/** `action: mod k=v`, `action: {module: mod, …}` and the same as `local_action`. */
export function legacyAction(source: Source, map: YamlMap): Spelt | undefined {
  const entry = entryOf(map, 'action') ?? entryOf(map, 'local_action');
  if (entry === undefined) return undefined;
  const { key, node, keyPosition: position } = entry;
  const more = { position, onController: key === 'local_action' };
  if (node.kind === 'map') return actionMap(source, node, `${key} names no module`, more);
  const text = node.kind === 'scalar' ? textOf(node.value) : undefined;
  if (text !== undefined) return actionText(node, text, more);
  source.problem(node.position, `${key} is neither text nor a mapping`);
  return { ...more, name: '', node: undefined };
}

type Where = Pick<Spelt, 'position' | 'onController'>;

function actionMap(source: Source, map: YamlMap, nameless: string, more: Where): Spelt {
  const module = entryOf(map, 'module');
  const name = module?.node.kind === 'scalar' ? textOf(module.node.value) : undefined;
  if (module === undefined || name === undefined) source.problem(map.position, nameless);
  const rest = { ...map, entries: map.entries.filter((each) => each !== module) };
  const node = entryOf(rest, 'args')?.node ?? rest;
  return spelt(module?.node ?? map, name ?? '', { ...more, node });
}

function actionText(whole: YamlNode, text: string, more: Where): Spelt {
  const name = firstWord(text);
  const words = text.trim().slice(name.length).trim();
  const value = words === '' ? null : partOf(whole, words);
  return spelt(whole, name, { ...more, node: { kind: 'scalar', value, position: whole.position } });
}

/** A module by its name in a node, where it may be a template. */
function spelt(node: YamlNode, name: string, more: Omit<Spelt, 'name' | 'template'>): Spelt {
  return hasTemplate(name) ? { ...more, name, template: partOf(node, name) } : { ...more, name };
}

/** A part of a node's text: a template, where it has one, knows its own place. */
export function partOf(node: YamlNode, part: string): Value {
  if (!hasTemplate(part)) return ownText(part);
  const whole = placedText(node);
  const { position = node.position } = whole ?? {};
  // A part out of which an option was taken is still where the whole is, up to that option.
  const start = Math.max(0, whole?.text.indexOf(part) ?? 0);
  return new TrustedTemplate(part, positionAt(whole?.text ?? '', position, start));
}
