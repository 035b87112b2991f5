import type { Scope } from '../jinja/host.ts';
import type { Dict, Value } from '../values.ts';

/** A layer of variables: a dict, or something that makes its members when asked. */
export interface Layer {
  /** `scope` is the whole scope that is asked, e.g. with the item of a loop on top. */
  get(name: string, scope?: LayeredScope): Value | undefined;
  names(): Iterable<string>;
}

/** A layer that is replaced while the scope is in use: a loop's item sees what the one before it set. */
export function live(current: () => Dict): Layer {
  return { get: (name) => current().get(name), names: () => current().keys() };
}

/** Variables as a task sees them: layers from the strongest to the weakest. */
export class LayeredScope implements Scope {
  readonly #layers: readonly (Dict | Layer)[];
  readonly #onRead: ((name: string) => void) | undefined;

  constructor(layers: readonly (Dict | Layer)[], onRead?: (name: string) => void) {
    this.#layers = layers;
    this.#onRead = onRead;
  }

  get(name: string): Value | undefined {
    this.#onRead?.(name);
    for (const layer of this.#layers) {
      const value = layer instanceof Map ? layer.get(name) : (layer as Layer).get(name, this);
      if (value !== undefined) return value;
    }
    return undefined;
  }

  names(): Iterable<string> {
    const names = new Set<string>();
    for (const layer of this.#layers) {
      // Files of variables may have keys that are no names: nothing can ask for them.
      for (const name of layer instanceof Map ? layer.keys() : (layer as Layer).names())
        if (typeof name === 'string') names.add(name);
    }
    return names;
  }

  /** The same scope with stronger variables on top: loop items, a result under judgement. */
  with(variables: Dict | Layer): LayeredScope {
    return new LayeredScope([variables, ...this.#layers], this.#onRead);
  }

  /** The same scope, and somebody who hears which variables are asked for. */
  watched(onRead: (name: string) => void): LayeredScope {
    return new LayeredScope(this.#layers, onRead);
  }
}
