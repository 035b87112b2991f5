import type { Dict } from '../values.ts';

/** Whether something is said of a pattern that matches nothing, as `host_pattern_mismatch` says. */
export type Unmatched = 'tell' | 'ignore';

/** What a run asks of an inventory. */
export interface InventoryPort {
  /** Hosts that match a pattern, in inventory order. `localhost` is made when it is named and absent. */
  select(pattern: string, unmatched?: Unmatched): readonly string[];
  /** Variables of ranks 2 to 9: inventory, group_vars and host_vars. Values may be templates. */
  hostVars(host: string): Dict;
  /** Sorted, without `all`. */
  groupNames(host: string): readonly string[];
  /** Every group with its hosts, `all` and `ungrouped` included. */
  groups(): ReadonlyMap<string, readonly string[]>;
  has(host: string): boolean;
  /** Adds a host during a run; true when it was not there yet. */
  addHost(name: string, groups: readonly string[], variables: Dict): boolean;
  /** Puts a host into a group during a run; true when it was not in it. */
  addToGroup(host: string, group: string, parents: readonly string[]): boolean;
  /** Reads the sources again; hosts and groups added during the run stay. */
  refresh(): void;
  /** The file or list that a host was defined in, and the directory of a file. */
  sourceOf(
    host: string,
  ): { readonly directory: string | undefined; readonly file: string } | undefined;
}
