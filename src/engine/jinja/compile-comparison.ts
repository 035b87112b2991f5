import type { CompareOperator, Expr } from './ast.ts';
import { equals, mapGet, order } from './compare.ts';
import type { Code, CompileContext } from './compile-context.ts';
import { TemplateError } from './errors.ts';
import { tryIterate } from './iterate.ts';
import {
  EmptyUndefined,
  isMap,
  isText,
  type Runtime,
  typeName,
  Undefined,
  type Val,
} from './objects.ts';
import { textOf } from './text.ts';

type Comparator = (a: Val, b: Val, runtime: Runtime) => boolean;

const COMPARATORS: Readonly<Record<CompareOperator, Comparator>> = {
  '==': (a, b) => equals(a, b),
  '!=': (a, b) => !equals(a, b),
  '<': (a, b) => order(a, b, '<') < 0,
  '<=': (a, b) => order(a, b, '<=') <= 0,
  '>': (a, b) => order(a, b, '>') > 0,
  '>=': (a, b) => order(a, b, '>=') >= 0,
  in: contains,
  'not in': (a, b, runtime) => !contains(a, b, runtime),
};

/** Python's comparison by its operator. */
export function compare(operator: CompareOperator, a: Val, b: Val, runtime: Runtime): boolean {
  return COMPARATORS[operator](a, b, runtime);
}

/** Python's `needle in haystack`. Throws TemplateError on what contains nothing. */
export function contains(needle: Val, haystack: Val, runtime: Runtime): boolean {
  if (needle instanceof Undefined && !(needle instanceof EmptyUndefined)) needle.fail();
  if (haystack instanceof EmptyUndefined) return false;
  if (haystack instanceof Undefined) haystack.fail();
  if (isText(haystack)) {
    if (isText(needle)) return textOf(haystack).includes(textOf(needle));
    throw new TemplateError(
      `'in <string>' requires string as left operand, not ${typeName(needle)}`,
    );
  }
  if (isMap(haystack)) return mapGet(haystack, needle) !== undefined;
  const items = tryIterate(haystack, runtime);
  if (items === undefined)
    throw new TemplateError(`argument of type '${typeName(haystack)}' is not iterable`);
  if (needle instanceof EmptyUndefined) return false;
  return items.some((item) => equals(item, needle));
}

/** Compiles a comparison, which may be a chain: `1 < a < 3`. */
export function compileComparison(
  { first, rest, at }: Extract<Expr, { readonly kind: 'compare' }>,
  context: CompileContext,
): Code {
  const left = context.expression(first);
  const steps = rest.map(({ operator, operand }) => ({
    comparator: COMPARATORS[operator],
    right: context.expression(operand),
  }));
  const [only] = steps;
  if (steps.length === 1 && only !== undefined) return single(left, only, at);
  return (frame) => {
    let a = left(frame);
    for (const { comparator, right } of steps) {
      const b = right(frame);
      frame.at = at;
      if (!comparator(a, b, frame.runtime)) return false;
      a = b;
    }
    return true;
  };
}

function single(left: Code, step: { comparator: Comparator; right: Code }, at: number): Code {
  const { comparator, right } = step;
  return (frame) => {
    const a = left(frame);
    const b = right(frame);
    frame.at = at;
    return comparator(a, b, frame.runtime);
  };
}
