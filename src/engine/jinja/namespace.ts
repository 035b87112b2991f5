import { PyObject, type Val } from './objects.ts';

/** `namespace()`: an object whose members `{% set ns.x = ... %}` may set, from inside loops too. */
export class Namespace extends PyObject {
  readonly typeName = 'Namespace';
  readonly #members: Map<Val, Val>;

  constructor(members: Map<Val, Val>) {
    super();
    this.#members = members;
  }

  override attribute(name: string): Val | undefined {
    return this.#members.get(name);
  }

  set(name: string, value: Val): void {
    this.#members.set(name, value);
  }
}
