import { OMIT, Omit, Timestamp, type Value } from '../values.ts';
import { Budget } from './budget.ts';
import { TemplateError } from './errors.ts';
import { DateTime } from './moments.ts';
import {
  isList,
  isMap,
  Markup,
  PyObject,
  typeName,
  Undefined,
  type Val,
  type ValMap,
} from './objects.ts';
import { isPlainMap } from './plain-map.ts';
import { textOf } from './text.ts';

/** Containers nested deeper than this are refused. */
const MAX_NESTING = 500;

/**
 * The value of a template: nothing gives None, one node keeps its type, several become text in which None
 * is empty. The value may be undefined.
 */
export function joinNodes(nodes: readonly Val[]): Val {
  const present = nodes.filter((node) => node !== null);
  const [only] = present;
  if (only === undefined) return null;
  return present.length === 1 ? only : joinTexts(present);
}

function joinTexts(nodes: readonly Val[]): string {
  const budget = new Budget();
  return nodes
    .map((node) => {
      const text = printed(node);
      budget.spend(text.length);
      return text;
    })
    .join('');
}

/** A node as it prints beside others. */
export function printed(node: Val): string {
  if (typeof node === 'string') return node;
  if (node instanceof Omit) return '';
  return isList(node) || isMap(node) ? textOf(new Normalizer().plain(node, 0)) : textOf(node);
}

/** A plain value of what an expression gave. Throws on undefined and on what is no plain value. */
export function finalize(value: Val): Value {
  if (value === null || typeof value !== 'object') return value;
  return new Normalizer(plainContainers).plain(value, 0);
}

/** Characters of one value: the output of a command may be large, and stand in it twice. */
const MAX_CHARACTERS = 500_000_000;

/** How much is in a list or dict, at all depths. */
interface Size {
  readonly members: number;
  readonly characters: number;
}

// Containers that have left an evaluation as they are. From then on nobody changes them.
const plainContainers = new WeakMap<object, Size>();

/** Makes plain values. What is plain already stays the same list or dict. */
class Normalizer {
  readonly #known: WeakMap<object, Size> | undefined;
  readonly #budget = new Budget(MAX_CHARACTERS);
  #members = 0;
  #characters = 0;

  constructor(known?: WeakMap<object, Size>) {
    this.#known = known;
  }

  plain(value: Val, nesting: number): Value {
    if (typeof value === 'string') this.#count({ members: 0, characters: value.length });
    if (value === null || typeof value !== 'object') return value;
    if (nesting > MAX_NESTING) throw new TemplateError('the value is nested too deeply');
    if (isList(value) || isMap(value)) return this.#container(value, nesting);
    return value instanceof PyObject ? plainObject(value) : value;
  }

  #container(container: readonly Val[] | ValMap, nesting: number): Value {
    const known = this.#known?.get(container);
    if (known !== undefined) {
      this.#count(known);
      return container as Value; // Its normal form was itself.
    }
    const [members, characters] = [this.#members, this.#characters];
    const own = isList(container) ? container.length : container.size;
    this.#count({ members: own, characters: 0 });
    const plain = isList(container)
      ? this.#list(container, nesting)
      : this.#map(container, nesting);
    if (plain === container) {
      this.#known?.set(container, {
        members: this.#members - members,
        characters: this.#characters - characters,
      });
    }
    return plain;
  }

  #count({ members, characters }: Size): void {
    this.#budget.visit(members);
    this.#budget.spend(characters);
    this.#members += members;
    this.#characters += characters;
  }

  #list(list: readonly Val[], nesting: number): Value {
    let copy: Value[] | undefined = list.constructor === Array ? undefined : [];
    for (let i = 0; i < list.length; i++) {
      const item = list[i] ?? null;
      const plain = this.plain(item, nesting + 1);
      // Everything before is plain: it was equal to its normal form.
      if (plain !== item || plain === OMIT) copy ??= list.slice(0, i) as Value[];
      if (plain !== OMIT) copy?.push(plain);
    }
    return copy ?? (list as readonly Value[]); // No member differed from its normal form.
  }

  #map(map: ValMap, nesting: number): Value {
    let isPlain = isPlainMap(map);
    const copy = new Map<Value, Value>();
    for (const [key, member] of map) {
      const plain = this.plain(member, nesting + 1);
      const plainKey = this.plain(key, nesting + 1);
      isPlain &&= plain === member && plain !== OMIT && plainKey === key;
      if (plain !== OMIT) copy.set(plainKey, plain);
    }
    return isPlain ? (map as ReadonlyMap<Value, Value>) : copy; // No member differed from its normal form.
  }
}

function plainObject(value: PyObject): Value {
  if (value instanceof Undefined) value.fail();
  if (value instanceof Markup) return value.value;
  if (value instanceof DateTime) return new Timestamp(value.text(), false);
  throw new TemplateError(`a value of type '${typeName(value)}' cannot leave a template`);
}
