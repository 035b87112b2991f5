/** What is wrong with a formula, and where in its text. */
export class FormulaError extends Error {
  override readonly name = 'FormulaError';
  /** From 0, in the whole text. */
  readonly offset: number;
  /** Lines and columns count from 1. */
  readonly line: number;
  readonly column: number;

  constructor(text: string, fault: FormulaFault) {
    const offset = Math.min(fault.offset, text.length);
    const before = text.slice(0, offset).split('\n');
    const column = (before.at(-1) ?? '').length + 1;
    const place = text.trim().includes('\n')
      ? `line ${before.length}, column ${column}`
      : `column ${column}`;
    super(`${fault.message} at ${place}${fault.cure === undefined ? '' : ` (${fault.cure})`}`);
    this.offset = offset;
    this.line = before.length;
    this.column = column;
  }
}

/** A fault as the parts of the evaluator find it, before the text around it is known. */
export class FormulaFault extends Error {
  readonly offset: number;
  readonly cure: string | undefined;

  constructor(message: string, offset: number, cure?: string) {
    super(message);
    this.offset = offset;
    this.cure = cure;
  }
}

/** A value of another kind than an operator or function takes: wrong whatever the triggers say. */
export class KindFault extends FormulaFault {}
