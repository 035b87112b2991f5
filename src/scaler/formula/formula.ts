/** Composite formulas of `scalingModifiers`: the language of expr, as far as numbers of triggers need it. */
import { compile, type Layout } from './compile.ts';
import { FormulaError, FormulaFault, KindFault } from './formula-error.ts';
import { parseFormula } from './parse.ts';
import { type Code, expecting, kindOf, noValue, type Value } from './values.ts';

/** A formula, ready to be evaluated any number of times. */
export interface Formula {
  /**
   * The composite value. `undefined` among the values is nil; the result is undefined only where the formula uses
   * `??` and still gives nil. Throws FormulaError, also where the result is no finite number.
   */
  evaluate(values: Readonly<Record<string, number | undefined>>): number | undefined;
}

const NAME = /^[A-Za-z_]\w*$/;
const RESERVED = new Set(
  'let if else in not and or true false nil contains startsWith endsWith matches'.split(' '),
);
const BUDGET = 200_000;
/** What KEDA tries a formula with. */
const TRIAL = -1;

/** Whether a trigger of this name can stand in a formula. */
export function isVariableName(name: string): boolean {
  return NAME.test(name) && !RESERVED.has(name);
}

/**
 * Compiles a formula over the names of triggers. Throws FormulaError where it cannot be read, uses something unknown,
 * or mixes kinds of values. Names that cannot stand in formulas are left out.
 */
export function compileFormula(text: string, variableNames: readonly string[]): Formula {
  const names = variableNames.filter(isVariableName);
  return located(text, () => {
    const bindings = names.map((name, slot) => [name, binding(slot)] as const);
    const layout: Layout = { localCount: 0, usesDefault: false };
    const code = compile(parseFormula(text), { names: new Map(bindings), layout }, 0);
    const toNumber = numberFrom(code, layout.usesDefault);
    const evaluate: Formula['evaluate'] = (values) =>
      located(text, () => {
        const variables = names.map((name) =>
          Object.hasOwn(values, name) ? values[name] : undefined,
        );
        return toNumber(variables, layout.localCount);
      });
    tryOut(() =>
      toNumber(
        names.map(() => TRIAL),
        layout.localCount,
      ),
    );
    return { evaluate };
  });
}

function binding(slot: number) {
  return { slot, kind: 'number', isWhole: false, isLocal: false } as const;
}

function numberFrom(code: Code, mayBeNil: boolean) {
  const whole: Code = { ...code, start: 0 };
  if (code.kind !== undefined && code.kind !== 'string') expecting(whole, 'number');
  return (variables: readonly Value[], localCount: number): number | undefined => {
    const locals = new Array<Value>(localCount).fill(undefined);
    const value = code.run({ variables, locals, budget: BUDGET });
    if (value === undefined) {
      if (mayBeNil) return undefined;
      throw noValue({ ...whole, title: code.title });
    }
    return finite(value, whole);
  };
}

function finite(value: Value, whole: Code): number {
  const number = typeof value === 'string' && value.trim() !== '' ? Number(value) : value;
  if (typeof number === 'number') {
    if (Number.isFinite(number)) return number;
    throw new FormulaFault(`the formula gives ${number}`, 0, 'look for a division by zero');
  }
  const kind = kindOf(value);
  throw new KindFault(`the formula gives a ${kind} and not a number`, whole.start);
}

/** A trial shows kinds that do not go together; what depends on the values is nothing yet. */
function tryOut(run: () => void): void {
  try {
    run();
  } catch (error) {
    if (error instanceof KindFault || !(error instanceof FormulaFault)) throw error;
  }
}

function located<T>(text: string, run: () => T): T {
  try {
    return run();
  } catch (error) {
    throw error instanceof FormulaFault ? new FormulaError(text, error) : error;
  }
}
