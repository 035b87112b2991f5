import { didYouMean } from '../../shared/errors.ts';
import { capturing, undefinedAmong } from './builtin.ts';
import { truthy } from './compare.ts';
import { TemplateError } from './errors.ts';
import { membersOf } from './iterate.ts';
import {
  type Callback,
  Failed,
  type Kwargs,
  type Runtime,
  Undefined,
  type Val,
} from './objects.ts';
import { requireText } from './text.ts';

const OWN_OPTIONS: ReadonlySet<string> = new Set(['errors', 'wantlist']);

/** `lookup()` (`asList` false) and `query()`. Where it fails, it gives a value that fails when it is used. */
export function runLookup(
  runtime: Runtime,
  args: readonly Val[],
  kwargs: Kwargs,
  asList: boolean,
): Val {
  const missing = undefinedAmong(args, args[0] === 'env' ? undefined : kwargs);
  if (missing !== undefined) return missing;
  return capturing(() => look(runtime, args, kwargs, asList));
}

function look(runtime: Runtime, args: readonly Val[], kwargs: Kwargs, asList: boolean): Val {
  const [first, ...terms] = args;
  if (first === undefined) throw new TemplateError('lookup needs the name of a lookup');
  const name = requireText(first, 'the name of a lookup');
  const wantsList = asList || truthy(kwargs.get('wantlist') ?? false);
  const isForgiving = errorMode(kwargs) !== 'strict';
  const lookup = lookupNamed(runtime, name);
  const options = new Map([...kwargs].filter(([key]) => !OWN_OPTIONS.has(key)));
  const result = lookup.invoke(runtime, [terms], options);
  if (result instanceof Failed && isForgiving) return asList ? [] : null;
  return result instanceof Undefined ? result : shaped(membersOf(result, runtime), wantsList);
}

function errorMode(kwargs: Kwargs): string {
  const mode = requireText(kwargs.get('errors') ?? 'strict', 'errors');
  if (!['strict', 'warn', 'ignore'].includes(mode)) {
    throw new TemplateError(`errors must be "strict", "warn" or "ignore", not "${mode}"`);
  }
  return mode;
}

/** Throws TemplateError where there is none, whatever happens to errors of lookups. */
function lookupNamed({ engine }: Runtime, name: string): Callback {
  const lookup = engine.lookup(name);
  if (lookup !== undefined) return lookup;
  const hint = didYouMean(name, engine.lookupNames());
  throw new TemplateError(
    `there is no lookup named "${name}"${hint === undefined ? '' : ` (${hint})`}`,
  );
}

/** One item by itself, texts joined by commas, anything else as a list. */
function shaped(items: readonly Val[], asList: boolean): Val {
  if (asList) return items;
  const [only] = items;
  if (items.length === 1 && only !== undefined) return only;
  const texts = items.filter((item) => typeof item === 'string');
  return items.length > 0 && texts.length === items.length ? texts.join(',') : items;
}
