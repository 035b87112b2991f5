import type { Dict, Value } from '../values.ts';
import type { FactCache } from './fact-cache.ts';

/** Variables that say how a host is reached: no host may say that of itself, so that facts never set them. */
const RESTRICTED =
  /^_ansible_|^ansible_(?:connection|host|port|user|password|become(?:_.*)?|timeout|pipelining|private_key_file|shell_(?:type|executable)|rsync_path|local_.+|ssh_(?!host_key_).*|winrm_.*|psrp_.*|.+_interpreter)$/;

/** Ansible's mark among the facts, which a cache that is shared with it has to have. */
const GATHERED = '_ansible_facts_gathered';

/** What is special about the variables of a run's hosts. */
export interface HostVariablesOptions {
  /** Whether facts are variables of their own beside `ansible_facts`. */
  readonly injectFacts?: boolean;
  /** Where facts are kept between runs. */
  readonly cache?: FactCache | undefined;
}

/** The variables of one host that grow during a run. Layers are replaced, never changed in place. */
export class HostVariables {
  readonly name: string;
  readonly #readInventory: () => Dict;
  readonly #injectFacts: boolean;
  readonly #cache: FactCache | undefined;
  #inventory: Dict | undefined;
  /** Facts under the names that modules gave them. */
  #gathered: Dict = new Map();
  #facts: Dict = new Map();
  #factVariables: Dict = new Map();
  #included: Dict = new Map();
  #set: Dict = new Map();
  readonly #guessed = new Map<string, string>();

  constructor(
    name: string,
    readInventory: () => Dict,
    { injectFacts = true, cache }: HostVariablesOptions = {},
  ) {
    this.name = name;
    this.#readInventory = readInventory;
    this.#injectFacts = injectFacts;
    this.#cache = cache;
    const cached = cache?.read(name);
    if (cached !== undefined) this.#take(cached);
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

  /** Whether facts were gathered as a whole: in this run, or in an earlier one whose facts are cached. */
  get isGathered(): boolean {
    return this.#facts.get(GATHERED) === true;
  }

  /** Remembers that facts were gathered as a whole, for runs in which gathering is `smart`. */
  markGathered(): void {
    this.addFacts(new Map([[GATHERED, true]]));
  }

  /** Stores what a module returned as `ansible_facts`, under Ansible's two names. */
  addFacts(facts: Dict): void {
    this.#take(facts);
    this.#cache?.write(this.name, this.#gathered);
  }

  #take(facts: Dict): void {
    const bare = [...facts].map(([name, value]): [string, Value] => [withoutPrefix(name), value]);
    this.#gathered = new Map([...this.#gathered, ...facts]);
    this.#facts = new Map([...this.#facts, ...bare]);
    const injected = [...facts].filter(([name]) =>
      this.#injectFacts ? !RESTRICTED.test(name) : name === 'ansible_local',
    );
    this.#factVariables = new Map([...this.#factVariables, ...injected]);
  }

  /** In a check run: what a variable depends on that has not been done, in words; undefined for all others. */
  guessed(name: string): string | undefined {
    return this.#guessed.get(name);
  }

  /** Notes of variables whether they depend on something that has not been done. */
  setGuessed(names: Iterable<string>, because: string | undefined): void {
    for (const name of names) {
      if (because === undefined) this.#guessed.delete(name);
      else this.#guessed.set(name, because);
    }
  }

  setVariables(variables: Dict, { cacheable = false } = {}): void {
    this.#set = new Map([...this.#set, ...variables]);
    if (cacheable) this.addFacts(variables);
  }

  addIncluded(variables: Dict): void {
    this.#included = new Map([...this.#included, ...variables]);
  }

  /** Forgets gathered facts; what set_fact made stays. */
  clearFacts(): void {
    this.#gathered = new Map();
    this.#facts = new Map();
    this.#factVariables = new Map();
    this.#cache?.forget(this.name);
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
