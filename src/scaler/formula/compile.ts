/** Turns the syntax tree of a formula into code. Only what is listed here can be reached from a formula. */
import { didYouMean } from '../../shared/errors.ts';
import { compileCall } from './calls.ts';
import { FormulaFault } from './formula-error.ts';
import { array, mapping, member, slice } from './members.ts';
import { binary, comparison, conditional, unary } from './operators.ts';
import type { FormulaNode, LetNode, LiteralNode, PointerNode } from './syntax.ts';
import type { Code, Frame, Kind } from './values.ts';

/** A name that stands for a value. */
interface Binding {
  readonly slot: number;
  readonly kind?: Kind | undefined;
  /** Of a number: whether it is an integer in expr. */
  readonly isWhole?: boolean | undefined;
  readonly isLocal: boolean;
}

/** What a part of a formula may refer to. */
export interface Scope {
  readonly names: ReadonlyMap<string, Binding>;
  /** Slots of `#`, `#index` and `#acc`, inside predicates. */
  readonly pointers?: Readonly<Record<string, number>> | undefined;
  readonly layout: Layout;
}

/** How many slots a formula needs, and what it uses. */
export interface Layout {
  localCount: number;
  usesDefault: boolean;
}

/** The code of a part of a formula; `start` is where its parent begins. Throws FormulaFault. */
export function compile(node: FormulaNode, scope: Scope, start: number): Code {
  const at = node.start ?? start;
  const part = (child: FormulaNode) => compile(child, scope, at);
  switch (node.type) {
    case 'Literal':
      return literal(node, at);
    case 'Identifier':
      return name(node.name, scope, at);
    case 'Pointer':
      return pointer(node, scope, at);
    case 'UnaryExpression':
      return unary(node.operator, part(node.argument), at);
    case 'BinaryExpression':
      if (node.operator === '??') scope.layout.usesDefault = true;
      return binary(node.operator, part(node.left), part(node.right));
    case 'Comparison':
      return comparison(node.operands.map(part), node.operators);
    case 'ConditionalExpression':
      return conditional(part(node.test), part(node.consequent), part(node.alternate));
    case 'ArrayExpression':
      return array(node.elements, part, at);
    case 'Map':
      return mapping(node, part, at);
    case 'MemberExpression':
      return member(node, part, at);
    case 'Slice':
      return slice(node, part, at);
    case 'Sequence':
      return sequence(part(node.first), part(node.last), at);
    case 'Let':
      return declaration(node, scope, at);
    case 'CallExpression':
      return compileCall(node, scope, at, compile);
    case 'Predicate':
      throw new FormulaFault('"{" is only for the condition of a function such as count', at);
    default:
      throw new FormulaFault('formulas have nothing of this kind', at);
  }
}

/** A slot for a value of one evaluation. */
export function newSlot(scope: Scope): number {
  scope.layout.localCount += 1;
  return scope.layout.localCount - 1;
}

function literal({ value, isWhole }: LiteralNode, start: number): Code {
  const constant = value ?? undefined;
  const kind = value === null ? undefined : (typeof value as Kind); // The kinds of literals.
  return { start, kind, isWhole, run: () => constant };
}

function sequence(first: Code, last: Code, start: number): Code {
  const run = (frame: Frame) => {
    first.run(frame);
    return last.run(frame);
  };
  return { ...last, start, run };
}

/** `$env`: the values of all triggers by their names. */
function environment({ names }: Scope, start: number): Code {
  const slots = [...names].filter(([, { isLocal }]) => !isLocal);
  const run = ({ variables }: Frame) =>
    new Map(slots.map(([key, { slot }]) => [key, variables[slot]]));
  return { start, kind: 'map', title: '$env', run };
}

function name(text: string, scope: Scope, start: number): Code {
  if (text === '$env') return environment(scope, start);
  const { names } = scope;
  const binding = names.get(text);
  if (binding === undefined) {
    const known = [...names.keys()];
    const list = known.length === 0 ? 'no trigger has a name' : `known: ${known.join(', ')}`;
    const near = text.length > 1 ? didYouMean(text, known) : undefined;
    throw new FormulaFault(`unknown name "${text}"`, start, near ?? list);
  }
  const { slot, kind, isWhole, isLocal } = binding;
  const known = { start, kind, isWhole, title: text };
  if (isLocal) return { ...known, run: ({ locals }) => locals[slot] };
  return { ...known, run: ({ variables }) => variables[slot] };
}

function pointer(node: PointerNode, { pointers }: Scope, start: number): Code {
  const written = `#${node.name}`;
  if (pointers === undefined) {
    const cure = 'as in count([a, b], # > 1)';
    throw new FormulaFault(`"${written}" stands outside of a predicate`, start, cure);
  }
  const slot = Object.hasOwn(pointers, node.name) ? pointers[node.name] : undefined;
  if (slot === undefined) {
    throw new FormulaFault(
      `unknown "${written}"`,
      start,
      'there are #, #index and, in reduce, #acc',
    );
  }
  const kind = node.name === 'index' ? 'number' : undefined;
  return { start, kind, isWhole: kind && true, run: ({ locals }) => locals[slot] };
}

function declaration({ name: text, value, body }: LetNode, scope: Scope, start: number): Code {
  if (scope.names.has(text)) {
    throw new FormulaFault(`"${text}" already stands for something`, start, 'take another name');
  }
  const initial = compile(value, scope, start);
  const slot = newSlot(scope);
  const { kind, isWhole } = initial;
  const binding = { slot, kind, isWhole, isLocal: true };
  const inner = compile(body, { ...scope, names: new Map(scope.names).set(text, binding) }, start);
  const run = (frame: Frame) => {
    frame.locals[slot] = initial.run(frame);
    return inner.run(frame);
  };
  return { start, kind: inner.kind, isWhole: inner.isWhole, run };
}
