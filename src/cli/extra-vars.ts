/** Variables of the command line: `-e key=value`, JSON, YAML, or a file after `@`. */

import { ownText } from '../engine/own-text.ts';
import { type Dict, hasTemplate, isDict, TrustedTemplate, type Value } from '../engine/values.ts';
import { readDataFile } from '../engine/vault/data-file.ts';
import type { VaultSecrets } from '../engine/vault/secrets.ts';
import { parseYaml } from '../engine/yaml.ts';
import { toValue } from '../engine/yaml-node.ts';
import { parseFreeForm } from '../shared/words.ts';
import { OptionError } from './option-error.ts';

/** All extra variables, later ones winning. Throws InvalidInput. */
export function readExtraVars(texts: readonly string[], secrets: VaultSecrets): Dict {
  return new Map(texts.flatMap((text) => [...readOne(text, secrets)]));
}

function readOne(text: string, secrets: VaultSecrets): Dict {
  if (text.startsWith('@'))
    return variablesOf(toValue(readDataFile(text.slice(1), secrets).root), text);
  const trimmed = text.trim();
  if (trimmed.startsWith('{') || trimmed.startsWith('[') || /^[\w-]+:\s/.test(trimmed)) {
    return variablesOf(toValue(parseYaml(trimmed, { file: '-e', trusted: true }).root), text);
  }
  const { options, text: rest } = parseFreeForm(text, 'any');
  if (rest !== '') {
    throw new OptionError(
      `-e "${text}": "${rest}" is not key=value`,
      'write -e key=value, -e \'{"key": …}\' or -e @file',
    );
  }
  const entries = Object.entries(options).map(([name, value]): [string, Value] => [
    name,
    hasTemplate(value)
      ? new TrustedTemplate(value, { file: '-e', line: 1, column: 1 })
      : ownText(value),
  ]);
  return new Map(entries);
}

function variablesOf(value: Value, shown: string): Dict {
  if (value === null) return new Map();
  if (isDict(value)) return value as Dict; // Names of variables are text.
  throw new OptionError(`-e "${shown}" is not a mapping of variables`);
}
