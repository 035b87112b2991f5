import type { Runtime, Val } from './objects.ts';

/** All variables as one dict, each rendered when it is read. */
export class ScopeDict extends Map<Val, Val> {
  readonly #runtime: Runtime;

  constructor(runtime: Runtime) {
    super();
    this.#runtime = runtime;
  }

  override get(key: Val): Val | undefined {
    return this.has(key) ? this.#runtime.resolve(String(key)) : undefined;
  }

  override has(key: Val): boolean {
    return typeof key === 'string' && this.#runtime.scope.get(key) !== undefined;
  }

  override get size(): number {
    return [...this.#runtime.scope.names()].length;
  }

  override *keys(): MapIterator<Val> {
    yield* this.#runtime.scope.names();
  }

  override *values(): MapIterator<Val> {
    for (const name of this.#runtime.scope.names()) yield this.#runtime.resolve(name);
  }

  override *entries(): MapIterator<[Val, Val]> {
    for (const name of this.#runtime.scope.names()) yield [name, this.#runtime.resolve(name)];
  }

  override [Symbol.iterator](): MapIterator<[Val, Val]> {
    return this.entries();
  }

  override forEach(visit: (value: Val, key: Val, map: Map<Val, Val>) => void): void {
    for (const [key, value] of this) visit(value, key, this);
  }
}
