import jmespath from 'jmespath';
import { fromPlain } from '../../values.ts';
import { Budget } from '../budget.ts';
import { type Builtin, define } from '../builtin.ts';
import { TemplateError } from '../errors.ts';
import { isNumber, toNumber } from '../numbers.ts';
import { isList, isMap, isText, type Val } from '../objects.ts';
import { requireText, textOf } from '../text.ts';

/** The value as the library takes it. Objects have no prototype, so that a query finds nothing but members. */
function toQueried(value: Val, budget: Budget): unknown {
  if (isText(value)) return textOf(value);
  if (isList(value)) {
    budget.visit(value.length);
    return value.map((item) => toQueried(item, budget));
  }
  if (isNumber(value) && typeof value !== 'boolean') return toNumber(value);
  if (!isMap(value))
    return typeof value === 'boolean' ? value : value === null ? null : textOf(value);
  const object: Record<string, unknown> = Object.create(null);
  budget.visit(value.size);
  for (const [key, member] of value) object[textOf(key)] = toQueried(member, budget);
  return object;
}

function query(value: Val, expression: Val): Val {
  const text = requireText(expression, 'the query');
  try {
    return fromPlain(jmespath.search(toQueried(value, new Budget()), text) ?? null);
  } catch (cause) {
    if (cause instanceof TemplateError) throw cause;
    const reason = cause instanceof Error ? cause.message : String(cause);
    throw new TemplateError(`json_query ${JSON.stringify(text)}: ${reason}`, { cause });
  }
}

/** The filter of community.general that asks with JMESPath. */
export const jsonQueryFilters: readonly Builtin[] = [
  define('json_query', 'value, expr', (_runtime, value, expression) => query(value, expression)),
];
