import { type Builtin, define } from '../builtin.ts';
import { truthy } from '../compare.ts';
import { TemplateError } from '../errors.ts';
import type { Val } from '../objects.ts';
import { requireText, textOf } from '../text.ts';
import { compareLoose, comparePep440, compareSemver, compareStrict } from '../versions.ts';

type Comparison = (a: string, b: string) => number;

const TYPES: ReadonlyMap<string, Comparison> = new Map([
  ['loose', compareLoose],
  ['strict', compareStrict],
  ['semver', compareSemver],
  ['semantic', compareSemver],
  ['pep440', comparePep440],
]);

const OPERATORS: ReadonlyMap<string, (sign: number) => boolean> = new Map([
  ...['==', '=', 'eq'].map((name) => [name, (sign: number) => sign === 0] as const),
  ...['!=', '<>', 'ne'].map((name) => [name, (sign: number) => sign !== 0] as const),
  ...['<', 'lt'].map((name) => [name, (sign: number) => sign < 0] as const),
  ...['<=', 'le'].map((name) => [name, (sign: number) => sign <= 0] as const),
  ...['>', 'gt'].map((name) => [name, (sign: number) => sign > 0] as const),
  ...['>=', 'ge'].map((name) => [name, (sign: number) => sign >= 0] as const),
]);

function comparison(strict: Val, type: Val): Comparison {
  if (strict !== null && type !== null)
    throw new TemplateError('strict and version_type exclude each other');
  if (!truthy(type)) return truthy(strict) ? compareStrict : compareLoose;
  const found = TYPES.get(requireText(type, 'version_type'));
  if (found === undefined)
    throw new TemplateError(`version_type must be one of ${[...TYPES.keys()].join(', ')}`);
  return found;
}

function versionText(value: Val): string {
  const text = truthy(value) ? textOf(value) : '';
  if (text === '') throw new TemplateError('an empty version cannot be compared');
  return text;
}

/** The test of versions. */
export const versionTests: readonly Builtin[] = [
  define(
    'version version_compare',
    "value, version, operator='eq', strict=None, version_type=None",
    (_runtime, value, version, operator, ...rest) => {
      const [strict = null, type = null] = rest;
      const compare = comparison(strict, type);
      const holds = OPERATORS.get(requireText(operator ?? null, 'operator'));
      if (holds === undefined)
        throw new TemplateError(`"${textOf(operator ?? '')}" is no operator of versions`);
      return holds(compare(versionText(value ?? null), versionText(version ?? null)));
    },
  ),
];
