/** Turns the syntax tree of a formula into code. Only what is listed here can be reached from a formula. */
import { didYouMean } from '../../shared/errors.ts';
import { compileCall } from './calls.ts';
import { FormulaFault } from './formula-error.ts';
import { binary, comparison, conditional, unary, whole } from './operators.ts';
import type { FormulaNode, LetNode, MemberNode, PointerNode } from './syntax.ts';
import { type Code, charge, expecting, type Frame, type Kind } from './values.ts';

/** A name that stands for a value. */
interface Binding {
  readonly slot: number;
  readonly kind?: Kind | undefined;
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
      return literal(node.value, at);
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
      return array(node.elements, scope, at);
    case 'MemberExpression':
      return member(node, scope, at);
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

function literal(value: number | string | boolean | null, start: number): Code {
  const constant = value ?? undefined;
  const kind = value === null ? undefined : (typeof value as Kind); // The kinds of literals.
  return { start, kind, run: () => constant };
}

function name(text: string, { names }: Scope, start: number): Code {
  const binding = names.get(text);
  if (binding === undefined) {
    const known = [...names.keys()];
    const list = known.length === 0 ? 'no trigger has a name' : `known: ${known.join(', ')}`;
    const near = text.length > 1 ? didYouMean(text, known) : undefined;
    throw new FormulaFault(`unknown name "${text}"`, start, near ?? list);
  }
  const { slot, kind, isLocal } = binding;
  if (isLocal) return { start, kind, title: text, run: ({ locals }) => locals[slot] };
  return { start, kind, title: text, run: ({ variables }) => variables[slot] };
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
  return { start, kind, run: ({ locals }) => locals[slot] };
}

function array(elements: readonly (FormulaNode | null)[], scope: Scope, start: number): Code {
  const codes = elements.map((element) => {
    if (element === null) throw new FormulaFault('an element of the list is missing', start);
    return compile(element, scope, start);
  });
  const run = (frame: Frame) => {
    charge(frame, codes.length, start);
    return codes.map((code) => code.run(frame));
  };
  return { start, kind: 'list', run };
}

/** `list[i]`; a negative index counts from the end. */
function member({ object, property, computed }: MemberNode, scope: Scope, start: number): Code {
  const list = compile(object, scope, start);
  if (!computed) {
    throw new FormulaFault('values of formulas have no members', start, 'only [index] is there');
  }
  const index = compile(property, scope, start);
  const [listOf, indexOf] = [expecting(list, 'list'), expecting(index, 'number')];
  const run = (frame: Frame) => {
    const elements = listOf(frame);
    const wanted = whole(indexOf(frame), index.start);
    const position = wanted < 0 ? elements.length + wanted : wanted;
    if (position in elements) return elements[position];
    const count = `the list has ${elements.length} elements`;
    throw new FormulaFault(`there is no element ${wanted}`, index.start, count);
  };
  return { start, run };
}

function declaration({ name: text, value, body }: LetNode, scope: Scope, start: number): Code {
  if (scope.names.has(text)) {
    throw new FormulaFault(`"${text}" already stands for something`, start, 'take another name');
  }
  const initial = compile(value, scope, start);
  const slot = newSlot(scope);
  const binding = { slot, kind: initial.kind, isLocal: true };
  const inner = compile(body, { ...scope, names: new Map(scope.names).set(text, binding) }, start);
  const run = (frame: Frame) => {
    frame.locals[slot] = initial.run(frame);
    return inner.run(frame);
  };
  return { start, kind: inner.kind, run };
}
