/** The syntax tree of a formula. */

interface At {
  /** Offset in the text; absent where the node begins with its parent. */
  readonly start?: number;
}

export interface LiteralNode extends At {
  readonly type: 'Literal';
  readonly value: number | string | boolean | null;
  /** Of a number: it is written without fraction and exponent. */
  readonly isWhole?: boolean;
}
export interface IdentifierNode extends At {
  readonly type: 'Identifier';
  readonly name: string;
}
export interface UnaryNode extends At {
  readonly type: 'UnaryExpression';
  readonly operator: string;
  readonly argument: FormulaNode;
}
export interface BinaryNode extends At {
  readonly type: 'BinaryExpression';
  readonly operator: string;
  readonly left: FormulaNode;
  readonly right: FormulaNode;
}
/** `a < b <= c`: every neighbours' comparison holds. */
export interface ComparisonNode extends At {
  readonly type: 'Comparison';
  readonly operands: readonly FormulaNode[];
  readonly operators: readonly string[];
}
export interface ConditionalNode extends At {
  readonly type: 'ConditionalExpression';
  readonly test: FormulaNode;
  readonly consequent: FormulaNode;
  readonly alternate: FormulaNode;
}
export interface CallNode extends At {
  readonly type: 'CallExpression';
  readonly callee: FormulaNode;
  readonly arguments: readonly FormulaNode[];
  readonly endsInComma?: boolean;
}
export interface MemberNode extends At {
  readonly type: 'MemberExpression';
  readonly object: FormulaNode;
  readonly property: FormulaNode;
  /** `.name` and not `[…]`. */
  readonly isNamed?: boolean;
  /** Gives nil where the object is nil. */
  readonly isOptional?: boolean;
}
/** `list[from:to]`. */
export interface SliceNode extends At {
  readonly type: 'Slice';
  readonly object: FormulaNode;
  readonly from: FormulaNode | undefined;
  readonly to: FormulaNode | undefined;
}
export interface MapNode extends At {
  readonly type: 'Map';
  readonly entries: readonly (readonly [key: FormulaNode, value: FormulaNode])[];
}
/** `a; b`: b. */
export interface SequenceNode extends At {
  readonly type: 'Sequence';
  readonly first: FormulaNode;
  readonly last: FormulaNode;
}
export interface ArrayNode extends At {
  readonly type: 'ArrayExpression';
  readonly elements: readonly FormulaNode[];
}
export interface LetNode extends At {
  readonly type: 'Let';
  readonly name: string;
  readonly value: FormulaNode;
  readonly body: FormulaNode;
}
/** `#`, `#acc`, `#index`. */
export interface PointerNode extends At {
  readonly type: 'Pointer';
  readonly name: string;
}
/** `{ … }` as an argument. */
export interface PredicateNode extends At {
  readonly type: 'Predicate';
  readonly body: FormulaNode;
}

export type FormulaNode =
  | LiteralNode
  | IdentifierNode
  | UnaryNode
  | BinaryNode
  | ComparisonNode
  | ConditionalNode
  | CallNode
  | MemberNode
  | SliceNode
  | MapNode
  | SequenceNode
  | ArrayNode
  | LetNode
  | PointerNode
  | PredicateNode;
