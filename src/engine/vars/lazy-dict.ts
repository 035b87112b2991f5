import type { Value } from '../values.ts';

/** A dict whose members are made when they are asked for: `vars`, `hostvars`. Its values are fully rendered. */
export class LazyDict extends Map<string, Value> {
  readonly #names: () => Iterable<string>;
  readonly #read: (name: string) => Value | undefined;

  constructor(names: () => Iterable<string>, read: (name: string) => Value | undefined) {
    super();
    this.#names = names;
    this.#read = read;
  }

  override get(name: string): Value | undefined {
    return this.#read(name);
  }

  override has(name: string): boolean {
    return this.#read(name) !== undefined;
  }

  override get size(): number {
    return [...this.#names()].length;
  }

  override keys(): MapIterator<string> {
    return new Set(this.#names()).keys();
  }

  override values(): MapIterator<Value> {
    return this.#all().values();
  }

  override entries(): MapIterator<[string, Value]> {
    return this.#all().entries();
  }

  override [Symbol.iterator](): MapIterator<[string, Value]> {
    return this.entries();
  }

  override forEach(visit: (value: Value, name: string, dict: Map<string, Value>) => void): void {
    for (const [name, value] of this.#all()) visit(value, name, this);
  }

  #all(): Map<string, Value> {
    const all = new Map<string, Value>();
    for (const name of this.#names()) {
      const value = this.#read(name);
      if (value !== undefined) all.set(name, value);
    }
    return all;
  }
}
