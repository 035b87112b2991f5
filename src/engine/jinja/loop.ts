import { equals } from './compare.ts';
import { TemplateError } from './errors.ts';
import { membersOf } from './iterate.ts';
import { PyFunction, type Runtime, Undefined, type Val } from './objects.ts';

export interface LoopState {
  readonly items: readonly Val[];
  readonly depth: number;
  /** Runs the loop's body for other items, where the loop is recursive. */
  readonly recurse: ((items: readonly Val[], depth: number) => Val) | undefined;
}

/** The `loop` variable of a for statement. */
export class Loop extends PyFunction {
  override readonly typeName = 'LoopContext';
  readonly #state: LoopState;
  index0 = 0;
  #changed: readonly Val[] | undefined;

  constructor(state: LoopState) {
    super('loop', (args, _kwargs, runtime) => this.#call(args, runtime));
    this.#state = state;
  }

  #call([items = null]: readonly Val[], runtime: Runtime): Val {
    const { recurse, depth } = this.#state;
    if (recurse === undefined) throw new TemplateError('the loop is not marked as recursive');
    return runtime.deeper('a loop', () => recurse(membersOf(items, runtime), depth + 1));
  }

  override attribute(name: string): Val | undefined {
    return ATTRIBUTES.get(name)?.(this.index0, this.#state) ?? this.#method(name);
  }

  #method(name: string): Val | undefined {
    if (name === 'cycle') return new PyFunction(name, (args) => this.#cycle(args));
    return name === 'changed' ? new PyFunction(name, (args) => this.#hasChanged(args)) : undefined;
  }

  #cycle(args: readonly Val[]): Val {
    const value = args[this.index0 % args.length];
    if (value === undefined) throw new TemplateError('cycle needs something to cycle through');
    return value;
  }

  #hasChanged(args: readonly Val[]): boolean {
    const before = this.#changed;
    this.#changed = args;
    return before === undefined || !equals(before, args);
  }
}

type Attribute = (index: number, state: LoopState) => Val;

const ATTRIBUTES: ReadonlyMap<string, Attribute> = new Map<string, Attribute>([
  ['index', (index) => index + 1],
  ['index0', (index) => index],
  ['revindex', (index, { items }) => items.length - index],
  ['revindex0', (index, { items }) => items.length - index - 1],
  ['first', (index) => index === 0],
  ['last', (index, { items }) => index === items.length - 1],
  ['length', (_index, { items }) => items.length],
  ['depth', (_index, { depth }) => depth + 1],
  ['depth0', (_index, { depth }) => depth],
  [
    'previtem',
    (index, { items }) => items[index - 1] ?? new Undefined('there is no previous item'),
  ],
  ['nextitem', (index, { items }) => items[index + 1] ?? new Undefined('there is no next item')],
]);
