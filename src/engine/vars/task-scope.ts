import type { Scope } from '../jinja/host.ts';
import type { Dict, Value } from '../values.ts';

/** A layer of variables: a dict, or something that makes its members when asked. */
export interface Layer {
  get(name: string): Value | undefined;
  names(): Iterable<string>;
}

/** A layer that is replaced while the scope is in use: a loop's item sees what the one before it set. */
export function live(current: () => Dict): Layer {
  return { get: (name) => current().get(name), names: () => current().keys() };
}

/** Variables as a task sees them: layers from the strongest to the weakest. */
export class LayeredScope implements Scope {
  readonly #layers: readonly (Dict | Layer)[];

  constructor(layers: readonly (Dict | Layer)[]) {
    this.#layers = layers;
  }

  get(name: string): Value | undefined {
    for (const layer of this.#layers) {
      const value = layer.get(name);
      if (value !== undefined) return value;
    }
    return undefined;
  }

  names(): Iterable<string> {
    const names = new Set<string>();
    for (const layer of this.#layers) {
      for (const name of layer instanceof Map ? layer.keys() : (layer as Layer).names())
        names.add(name);
    }
    return names;
  }

  /** The same scope with stronger variables on top: loop items, a result under judgement. */
  with(variables: Dict): LayeredScope {
    return new LayeredScope([variables, ...this.#layers]);
  }
}
