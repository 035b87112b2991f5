/** A map that keeps the entries used last. */
export class LruMap<K, V> {
  readonly #entries = new Map<K, V>();
  readonly #limit: number;
  readonly #dispose: (value: V) => void;

  /** @param dispose Called with every value that falls out. */
  constructor(limit: number, dispose: (value: V) => void) {
    this.#limit = limit;
    this.#dispose = dispose;
  }

  getOr(key: K, create: () => V): V {
    const value = this.#entries.get(key) ?? create();
    this.#entries.delete(key);
    this.#entries.set(key, value);
    for (const [oldest, old] of this.#entries) {
      if (this.#entries.size <= this.#limit) break;
      this.#entries.delete(oldest);
      this.#dispose(old);
    }
    return value;
  }

  /** Forgets all entries and gives their values, which are not disposed of. */
  drain(): readonly V[] {
    const values = [...this.#entries.values()];
    this.#entries.clear();
    return values;
  }
}
