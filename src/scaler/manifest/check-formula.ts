/** Checks the formula of a ScaledObject. */
import { compileFormula, isVariableName } from '../formula/formula.ts';
import { FormulaError } from '../formula/formula-error.ts';
import type { ObjectProblem } from './object-problem.ts';
import { isRecord, type Manifest } from './read-manifests.ts';

const FORMULA = ['spec', 'advanced', 'scalingModifiers', 'formula'] as const;

/** The formula of a ScaledObject, whatever else may be wrong with it; undefined where there is none. */
export function formulaOf(object: Manifest['value']): string | undefined {
  const found = FORMULA.reduce<unknown>((at, key) => (isRecord(at) ? at[key] : undefined), object);
  return typeof found === 'string' && found !== '' ? found : undefined;
}

/** What is wrong with the formula and with the names that it uses. */
export function checkFormula(object: Manifest['value']): readonly ObjectProblem[] {
  const formula = formulaOf(object);
  if (formula === undefined) return [];
  const triggers = isRecord(object['spec']) ? object['spec']['triggers'] : undefined;
  const names = (Array.isArray(triggers) ? (triggers as readonly unknown[]) : []).map((trigger) =>
    isRecord(trigger) && typeof trigger['name'] === 'string' ? trigger['name'] : undefined,
  );
  const unusable = names.flatMap((name, index): ObjectProblem[] =>
    name === undefined || name === '' || isVariableName(name)
      ? []
      : [
          {
            path: ['spec', 'triggers', index, 'name'],
            message: `is "${name}": formulas take letters, digits and "_", beginning with no digit`,
          },
        ],
  );
  try {
    compileFormula(
      formula,
      names.filter((name) => name !== undefined),
    );
    return unusable;
  } catch (error) {
    if (!(error instanceof FormulaError)) throw error;
    const { message, offset } = error;
    return [...unusable, { path: FORMULA, message, offset, isSentence: true }];
  }
}
