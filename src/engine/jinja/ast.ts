import type { Val } from './objects.ts';

/** Where a node begins, in UTF-16 units from the start of the template text. */
interface Node {
  readonly at: number;
}

export interface Argument {
  /** `*` and `**` spread; a name makes a keyword argument. */
  readonly spread?: '*' | '**' | undefined;
  readonly name?: string | undefined;
  readonly value: Expr;
}

export type BinaryOperator = '+' | '-' | '*' | '/' | '//' | '%' | '**';
export type CompareOperator = '==' | '!=' | '<' | '<=' | '>' | '>=' | 'in' | 'not in';

export interface Comparison {
  readonly operator: CompareOperator;
  readonly operand: Expr;
}

export interface NameExpr extends Node {
  readonly kind: 'name';
  readonly name: string;
}

export interface AttrExpr extends Node {
  readonly kind: 'attr';
  readonly object: Expr;
  readonly name: string;
}

export interface CallExpr extends Node {
  readonly kind: 'call';
  readonly callee: Expr;
  readonly args: readonly Argument[];
}

export interface FilterExpr extends Node {
  readonly kind: 'filter';
  readonly name: string;
  /** Undefined for the first filter of a `{% filter %}` block. */
  readonly operand: Expr | undefined;
  readonly args: readonly Argument[];
}

export interface TestExpr extends Node {
  readonly kind: 'test';
  readonly name: string;
  readonly operand: Expr;
  readonly args: readonly Argument[];
}

export type Expr =
  | (Node & { readonly kind: 'const'; readonly value: Val; readonly isString?: boolean })
  | NameExpr
  | (Node & { readonly kind: 'list' | 'tuple' | 'concat'; readonly items: readonly Expr[] })
  | (Node & { readonly kind: 'dict'; readonly members: readonly (readonly [Expr, Expr])[] })
  | (Node & { readonly kind: 'not' | 'negative' | 'positive'; readonly operand: Expr })
  | (Node & { readonly kind: 'and' | 'or'; readonly left: Expr; readonly right: Expr })
  | (Node & {
      readonly kind: 'binary';
      readonly operator: BinaryOperator;
      readonly left: Expr;
      readonly right: Expr;
    })
  | (Node & {
      readonly kind: 'compare';
      readonly first: Expr;
      readonly rest: readonly Comparison[];
    })
  | (Node & {
      readonly kind: 'cond';
      readonly test: Expr;
      readonly then: Expr;
      readonly otherwise: Expr | undefined;
    })
  | AttrExpr
  | (Node & { readonly kind: 'item'; readonly object: Expr; readonly index: Expr })
  | (Node & {
      readonly kind: 'slice';
      readonly start: Expr | undefined;
      readonly stop: Expr | undefined;
      readonly step: Expr | undefined;
    })
  | CallExpr
  | FilterExpr
  | TestExpr;

/** What a statement may assign to: a name, a member of a namespace, or several of these. */
export type Target =
  | (Node & { readonly kind: 'name'; readonly name: string })
  | (Node & { readonly kind: 'member'; readonly name: string; readonly member: string })
  | (Node & { readonly kind: 'tuple'; readonly items: readonly Target[] });

export interface Parameter {
  readonly name: string;
  readonly fallback: Expr | undefined;
}

export interface MacroStatement extends Node {
  readonly kind: 'macro';
  readonly name: string;
  readonly parameters: readonly Parameter[];
  readonly body: readonly Statement[];
}

export interface ForStatement extends Node {
  readonly kind: 'for';
  readonly target: Target;
  readonly iterable: Expr;
  readonly filter: Expr | undefined;
  readonly recursive: boolean;
  readonly body: readonly Statement[];
  readonly otherwise: readonly Statement[];
}

export interface ImportName {
  readonly name: string;
  readonly alias: string;
}

export type Statement =
  | (Node & { readonly kind: 'data'; readonly text: string })
  | (Node & { readonly kind: 'output'; readonly value: Expr })
  | (Node & {
      readonly kind: 'if';
      readonly branches: readonly { readonly test: Expr; readonly body: readonly Statement[] }[];
      readonly otherwise: readonly Statement[];
    })
  | ForStatement
  | (Node & { readonly kind: 'set'; readonly target: Target; readonly value: Expr })
  | (Node & {
      readonly kind: 'set-block';
      readonly target: Target;
      readonly filter: Expr | undefined;
      readonly body: readonly Statement[];
    })
  | (Node & {
      readonly kind: 'with';
      readonly assignments: readonly (readonly [Target, Expr])[];
      readonly body: readonly Statement[];
    })
  | MacroStatement
  | (Node & {
      readonly kind: 'call-block';
      readonly call: CallExpr;
      readonly caller: MacroStatement;
    })
  | (Node & {
      readonly kind: 'filter-block';
      readonly filter: Expr;
      readonly body: readonly Statement[];
    })
  | (Node & {
      readonly kind: 'block';
      readonly name: string;
      readonly scoped: boolean;
      readonly required: boolean;
      readonly body: readonly Statement[];
    })
  | (Node & { readonly kind: 'extends'; readonly template: Expr })
  | (Node & {
      readonly kind: 'include';
      readonly template: Expr;
      readonly ignoreMissing: boolean;
      readonly withContext: boolean;
    })
  | (Node & {
      readonly kind: 'import';
      readonly template: Expr;
      readonly alias: string;
      readonly withContext: boolean;
    })
  | (Node & {
      readonly kind: 'from';
      readonly template: Expr;
      readonly names: readonly ImportName[];
      readonly withContext: boolean;
    })
  | (Node & { readonly kind: 'group'; readonly body: readonly Statement[] });
