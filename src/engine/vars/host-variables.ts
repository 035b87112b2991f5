import type { Dict, Value } from '../values.ts';

/** The variables of one host that grow during a run. Layers are replaced, never changed in place. */
export class HostVariables {
  readonly name: string;
  readonly #readInventory: () => Dict;
  readonly #injectFacts: boolean;
  #inventory: Dict | undefined;
  #facts: Dict = new Map();
  #factVariables: Dict = new Map();
  #cacheable: Dict = new Map();
  #included: Dict = new Map();
  #set: Dict = new Map();

  constructor(
    name: string,
    readInventory: () => Dict,
    { injectFacts = true }: { readonly injectFacts?: boolean } = {},
  ) {
    this.name = name;
    this.#readInventory = readInventory;
    this.#injectFacts = injectFacts;
  }

  /** Ranks 2 to 9 of the precedence: what the inventory and the files beside it say. */
  get inventory(): Dict {
    this.#inventory ??= this.#readInventory();
    return this.#inventory;
  }

  /** Gathered facts without prefix: the variable `ansible_facts`. */
  get facts(): Dict {
    return this.#facts;
  }

  /** Rank 10: facts as variables, and what set_fact kept with `cacheable`. */
  get factVariables(): Dict {
    return this.#factVariables;
  }

  /** Rank 18. */
  get included(): Dict {
    return this.#included;
  }

  /** Rank 19: set_fact and register. */
  get set(): Dict {
    return this.#set;
  }

  /** Stores what a module returned as `ansible_facts`, under Ansible's two names. */
  addFacts(facts: Dict): void {
    const bare = [...facts].map(([name, value]): [string, Value] => [withoutPrefix(name), value]);
    this.#facts = new Map([...this.#facts, ...bare]);
    const injected = [...facts].filter(([name]) => this.#injectFacts || name === 'ansible_local');
    this.#factVariables = new Map([...this.#factVariables, ...injected]);
  }

  setVariables(variables: Dict, { cacheable = false } = {}): void {
    this.#set = new Map([...this.#set, ...variables]);
    if (!cacheable) return;
    this.#cacheable = new Map([...this.#cacheable, ...variables]);
    this.#factVariables = new Map([...this.#factVariables, ...variables]);
    this.#facts = new Map([...this.#facts, ...variables]);
  }

  addIncluded(variables: Dict): void {
    this.#included = new Map([...this.#included, ...variables]);
  }

  /** Forgets gathered facts; what set_fact made stays. */
  clearFacts(): void {
    this.#facts = new Map();
    this.#factVariables = new Map();
    this.#cacheable = new Map();
  }

  /** Reads the inventory's variables again at the next use. */
  refreshInventory(): void {
    this.#inventory = undefined;
  }
}

function withoutPrefix(name: string): string {
  const short = name.startsWith('ansible_') ? name.slice('ansible_'.length) : name;
  return name === 'ansible_local' ? 'local' : short;
}
