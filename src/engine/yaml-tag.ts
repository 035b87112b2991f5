import { InvalidInput } from '../shared/errors.ts';
import type { Value, VaultText } from './values.ts';
import { toValue, type YamlNode } from './yaml-node.ts';
import {
  MalformedScalar,
  parseFloatScalar,
  parseIntScalar,
  parsePlainScalar,
  parseTimestamp,
} from './yaml-scalar.ts';

const STANDARD = 'tag:yaml.org,2002:';

/** The tag of a text, `!!str`: what stands in it may be a template. */
export const STR_TAG = `${STANDARD}str`;

const SCALARS: ReadonlyMap<string, (text: string) => Value> = new Map<
  string,
  (text: string) => Value
>([
  ['int', parseIntScalar],
  ['float', parseFloatScalar],
  ['null', () => null],
  ['bool', parseBool],
  ['timestamp', parseTimestamp],
  ['binary', (text) => Buffer.from(text, 'base64').toString('utf8')],
]);

/** The value of a scalar with an explicit tag, e.g. `!!str 8080`. Throws MalformedScalar. */
export function parseTaggedScalar(tag: string, text: string): Value {
  const parse = tag.startsWith(STANDARD) ? SCALARS.get(tag.slice(STANDARD.length)) : undefined;
  if (parse === undefined) throw unknownTag(tag);
  return parse(text);
}

/** A collection with an explicit tag: a set becomes a list, ordered pairs a list of pairs. Throws MalformedScalar. */
export function parseTaggedCollection(tag: string, node: YamlNode): YamlNode {
  const name = tag.startsWith(STANDARD) ? tag.slice(STANDARD.length) : tag;
  if (name === 'set' && node.kind === 'map')
    return listOf(
      node.entries.map(({ key }) => key),
      node,
    );
  if ((name === 'omap' || name === 'pairs') && node.kind === 'list') {
    return listOf(node.items.map(singlePair), node);
  }
  if ((name === 'map' && node.kind === 'map') || (name === 'seq' && node.kind === 'list'))
    return node;
  throw unknownTag(tag);
}

function listOf(values: readonly Value[], { position }: YamlNode): YamlNode {
  const items = values.map((value) => ({ kind: 'scalar', value, position }) as const);
  return { kind: 'list', items, position };
}

function singlePair(node: YamlNode): Value {
  const [entry] = node.kind === 'map' ? node.entries : [];
  if (entry === undefined) throw new MalformedScalar('every item must be a mapping of one key');
  return [entry.key, toValue(entry.node)];
}

function parseBool(text: string): Value {
  const lower = text.toLowerCase();
  const value = /^(?:yes|no|true|false|on|off)$/.test(lower) ? parsePlainScalar(lower) : undefined;
  if (value === undefined) throw new MalformedScalar(`${text} is not a boolean`);
  return value;
}

function unknownTag(tag: string): MalformedScalar {
  const name = tag.replace(STANDARD, '!!');
  return new MalformedScalar(`the tag ${name} is not known`, 'Ansible knows !vault and !unsafe');
}

/** Refuses a vaulted scalar where nobody can open it. */
export function refuseVault(vault: VaultText): never {
  const hint = 'give --vault-password-file, --vault-id or --ask-vault-pass';
  throw InvalidInput.at(
    vault.position,
    'a value is encrypted, and no vault password is given',
    hint,
  );
}
