import { type Builtin, define } from '../builtin.ts';
import { truthy } from '../compare.ts';
import { TemplateError } from '../errors.ts';
import { membersOf, tryIterate } from '../iterate.ts';
import { isFloat, isInt, isNumber, makeInt, toNumber } from '../numbers.ts';
import { isMap, isText, type Runtime, type Val } from '../objects.ts';
import { floatSeed, PyRandom } from '../py-random.ts';
import { textOf } from '../text.ts';

/** A generator for a seed. Without one the result is not speculable. */
export function generatorFor(runtime: Runtime, seed: Val, what: string): PyRandom {
  if (seed === null) {
    runtime.requireImpure(what);
    return new PyRandom();
  }
  if (isText(seed)) return new PyRandom(textOf(seed));
  if (isInt(seed)) return new PyRandom(BigInt(seed));
  if (isFloat(seed)) return new PyRandom(floatSeed(toNumber(seed)));
  throw new TemplateError('a seed is a text or a number');
}

/** Seeds of another type leave the order as it is, and an empty one is none. */
function shuffle(runtime: Runtime, value: Val, seed: Val): Val {
  const items = tryIterate(value, runtime);
  if (items === undefined) return value;
  if (truthy(seed) && !isText(seed) && !isNumber(seed)) return [...items];
  return generatorFor(runtime, truthy(seed) ? seed : null, 'shuffle').shuffled(items);
}

function bound(value: Val, fallback: bigint, name: string): bigint {
  if (!truthy(value)) return fallback;
  if (!isInt(value)) throw new TemplateError(`${name} of random must be an integer`);
  return BigInt(value);
}

function random(runtime: Runtime, end: Val, options: readonly Val[]): Val {
  const [start = null, step = null, seed = null] = options;
  const generator = generatorFor(runtime, seed, 'random');
  if (!isNumber(end)) return pick(runtime, generator, end, start !== null || step !== null);
  const [low, stride] = [bound(start, 0n, 'start'), bound(step, 1n, 'step')];
  const width = bound(end, 0n, 'the end') - low;
  const count = stride > 0n ? (width + stride - 1n) / stride : (width + stride + 1n) / stride;
  if (count <= 0n) throw new TemplateError('random has no number to choose from');
  return makeInt(low + stride * generator.below(count));
}

function pick(runtime: Runtime, generator: PyRandom, value: Val, bounded: boolean): Val {
  if (bounded) throw new TemplateError('start and step of random are for numbers');
  if (isMap(value)) throw new TemplateError('random takes no dict');
  const items = membersOf(value, runtime);
  if (items.length === 0) throw new TemplateError('random has nothing to choose from');
  return generator.choice(items);
}

/** Filters of chance. With a seed they give what Ansible gives. */
export const randomFilters: readonly Builtin[] = [
  define('random', 'end, start=None, step=None, seed=None', (runtime, end, ...options) =>
    random(runtime, end ?? null, options),
  ),
  // What cannot be shuffled is given back.
  define('shuffle', 'value, seed=None', shuffle),
];
