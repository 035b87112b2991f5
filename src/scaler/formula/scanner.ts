/** Moves through the text of a formula. */
import type jsep from 'jsep';
import { FormulaFault } from './formula-error.ts';
import type { FormulaNode } from './syntax.ts';

export type Scanner = jsep.HookScope;

/** What a sticky pattern finds here, after blanks. */
export function peek(scanner: Scanner, pattern: RegExp): string | undefined {
  scanner.gobbleSpaces();
  pattern.lastIndex = scanner.index;
  return pattern.exec(scanner.expr)?.[0];
}

/** As `peek`, and moves behind it. */
export function take(scanner: Scanner, pattern: RegExp): string | undefined {
  const found = peek(scanner, pattern);
  scanner.index += found?.length ?? 0;
  return found;
}

/** Moves behind a text. Throws FormulaFault where another one is here. */
export function expect(scanner: Scanner, text: string): void {
  scanner.gobbleSpaces();
  if (!scanner.expr.startsWith(text, scanner.index)) unexpected(scanner, `"${text}"`);
  scanner.index += text.length;
}

/** Throws FormulaFault about what is here. */
export function unexpected(scanner: Scanner, wanted?: string): never {
  scanner.gobbleSpaces();
  const rest = scanner.expr.slice(scanner.index);
  const found =
    rest === '' ? 'the end of the formula' : `"${/^(?:\w+|.)/su.exec(rest)?.[0] ?? ''}"`;
  const cure = wanted === undefined ? undefined : `${wanted} is expected here`;
  throw new FormulaFault(`unexpected ${found}`, scanner.index, cure);
}

export function startOf({ start }: FormulaNode): { start?: number } {
  return start === undefined ? {} : { start };
}
