/** Objects by values that are computed from them. */
export class ObjectIndex<T> {
  readonly #valuesOf: (object: T) => readonly string[];
  readonly #objects = new Map<string, Map<string, T>>();

  constructor(valuesOf: (object: T) => readonly string[]) {
    this.#valuesOf = valuesOf;
  }

  get(value: string): readonly T[] {
    return [...(this.#objects.get(value)?.values() ?? [])];
  }

  /** Takes an object of this key out, and another in. */
  replace(key: string, old: T | undefined, object: T | undefined): void {
    if (old !== undefined) this.#remove(key, old);
    if (object === undefined) return;
    for (const value of this.#valuesOf(object)) {
      const found = this.#objects.get(value) ?? new Map<string, T>();
      this.#objects.set(value, found.set(key, object));
    }
  }

  #remove(key: string, old: T): void {
    for (const value of this.#valuesOf(old)) {
      const found = this.#objects.get(value);
      found?.delete(key);
      if (found?.size === 0) this.#objects.delete(value);
    }
  }
}
