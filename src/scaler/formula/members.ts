/** Lists, maps and their parts in formulas. */
import { FormulaFault } from './formula-error.ts';
import { whole } from './operators.ts';
import type { FormulaNode, MapNode, MemberNode, SliceNode } from './syntax.ts';
import { type Code, charge, expecting, type Frame, kindOf, noValue, type Value } from './values.ts';

/** The code of a child. */
type Part = (node: FormulaNode) => Code;

export function array(elements: readonly FormulaNode[], part: Part, start: number): Code {
  const codes = elements.map(part);
  const run = (frame: Frame) => {
    charge(frame, codes.length, start);
    return codes.map((code) => code.run(frame));
  };
  return { start, kind: 'list', run };
}

export function mapping({ entries }: MapNode, part: Part, start: number): Code {
  const codes = entries.map(
    ([key, value]) => [expecting(part(key), 'string'), part(value)] as const,
  );
  const run = (frame: Frame) => {
    charge(frame, codes.length, start);
    // Of two entries with one key, the first counts.
    return new Map(codes.map(([key, value]) => [key(frame), value.run(frame)] as const).reverse());
  };
  return { start, kind: 'map', run };
}

/** `list[i]`, where a negative index counts from the end; `map[key]` and `map.key`, nil where there is none. */
export function member(node: MemberNode, part: Part, start: number): Code {
  const object = part(node.object);
  const property = part(node.property);
  requireMembers(object, node, start);
  const run = (frame: Frame): Value => {
    const value = object.run(frame);
    if (value === undefined) {
      if (node.isOptional) return undefined;
      throw noValue(object);
    }
    if (value instanceof Map) return value.get(property.run(frame));
    if (Array.isArray(value) && node.isNamed !== true) return elementOf(value, property, frame);
    throw notInside(object, node, start);
  };
  return { start, run };
}

function requireMembers(object: Code, node: MemberNode, start: number): void {
  const { kind } = object;
  if (kind === undefined || kind === 'map' || (kind === 'list' && node.isNamed !== true)) return;
  throw notInside(object, node, start);
}

function notInside(object: Code, { isNamed }: MemberNode, start: number) {
  return isNamed === true
    ? new FormulaFault('only maps have members', start, 'as in {"a": 1}.a')
    : new FormulaFault(`${object.title ?? 'this'} is neither a list nor a map`, start);
}

function elementOf(list: readonly Value[], index: Code, frame: Frame): Value {
  const wanted = whole(expecting(index, 'number')(frame), index.start);
  const position = wanted < 0 ? list.length + wanted : wanted;
  if (position in list) return list[position];
  const count = `the list has ${list.length} elements`;
  throw new FormulaFault(`there is no element ${wanted}`, index.start, count);
}

/** A part of a list or text; what is not there is left out. */
export function slice(node: SliceNode, part: Part, start: number): Code {
  const object = part(node.object);
  const [from, to] = [node.from && bound(part(node.from)), node.to && bound(part(node.to))];
  const kind = object.kind === 'list' || object.kind === 'string' ? object.kind : undefined;
  if (object.kind !== kind) throw notSliceable(object, start);
  const run = (frame: Frame): Value => {
    const value = object.run(frame);
    if (kindOf(value) !== 'list' && typeof value !== 'string') throw notSliceable(object, start);
    const sliceable = value as string | readonly Value[]; // Looked at above.
    charge(frame, sliceable.length, start);
    return sliceable.slice(from?.(frame) ?? 0, to?.(frame) ?? sliceable.length);
  };
  return { start, kind, run };
}

function bound(code: Code): (frame: Frame) => number {
  const number = expecting(code, 'number');
  return (frame) => whole(number(frame), code.start);
}

function notSliceable(object: Code, start: number): FormulaFault {
  return new FormulaFault(`${object.title ?? 'this'} is neither a list nor a text`, start);
}
