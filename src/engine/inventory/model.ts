import type { Position, Value } from '../values.ts';

/** A host of the inventory. */
export class Host {
  readonly name: string;
  /** Variables of the inventory file or script (precedence rank 7). */
  readonly vars = new Map<string, Value>();
  /** The groups that name the host themselves. */
  readonly groups = new Set<Group>();
  /** Whether the host exists only because a pattern named this machine. */
  readonly implicit: boolean;
  /** The source that first named the host, and its directory. */
  source: string | undefined;
  directory: string | undefined;

  constructor(name: string, implicit = false) {
    this.name = name;
    this.implicit = implicit;
  }
}

/** A group of the inventory. */
export class Group {
  readonly name: string;
  /** Variables of the inventory file or script (precedence rank 2). */
  readonly vars = new Map<string, Value>();
  readonly hosts = new Set<Host>();
  readonly children = new Set<Group>();
  readonly parents = new Set<Group>();
  /** `ansible_group_priority`: decides between groups of the same depth. */
  priority = 1;

  constructor(name: string) {
    this.name = name;
  }
}

/** A group that would contain itself. */
export class GroupCycle extends Error {
  override readonly name = 'GroupCycle';
}

/** The hosts and groups of every source, in the order in which they were named. */
export class Graph {
  readonly hosts = new Map<string, Host>();
  readonly groups = new Map<string, Group>();
  readonly #depths = new Map<Group, number>();
  readonly #rename: (name: string) => string;

  /** `rename` makes the names of groups what they should be. */
  constructor(rename: (name: string) => string = (name) => name) {
    this.#rename = rename;
    this.group('all');
    this.link('all', 'ungrouped');
  }

  /** The group of this name, made where it is new. */
  group(name: string): Group {
    const safe = this.#rename(name);
    const group = this.groups.get(safe) ?? new Group(safe);
    this.groups.set(safe, group);
    return group;
  }

  /** The host of this name, made where it is new. */
  host(name: string): Host {
    const host = this.hosts.get(name) ?? new Host(name);
    this.hosts.set(name, host);
    return host;
  }

  /** Makes one group the child of another. Throws GroupCycle. */
  link(parent: string, child: string): void {
    const [above, below] = [this.group(parent), this.group(child)];
    if (above === below || descendants(below).includes(above)) {
      const path = above === below ? [parent, child] : [parent, child, parent];
      throw new GroupCycle(`the group "${parent}" would contain itself: ${path.join(' > ')}`);
    }
    above.children.add(below);
    below.parents.add(above);
    this.#depths.clear();
  }

  /** Puts a host into a group. */
  join(group: string, host: string): void {
    const [members, member] = [this.group(group), this.host(host)];
    members.hosts.add(member);
    member.groups.add(members);
  }

  /** Takes a host out of a group. */
  leave(group: Group, host: Host): void {
    group.hosts.delete(host);
    host.groups.delete(group);
  }

  /** Groups in the order in which their variables are merged: outer first, then by priority, then by name. */
  inMergeOrder(groups: Iterable<Group>): Group[] {
    return [...groups].sort(
      (a, b) =>
        this.#depthOf(a) - this.#depthOf(b) || a.priority - b.priority || compare(a.name, b.name),
    );
  }

  /** How many groups lie between a group and the top, on the longest way. */
  #depthOf(group: Group): number {
    if (group.name === 'all') return 0;
    const known = this.#depths.get(group);
    if (known !== undefined) return known;
    const depth = 1 + Math.max(0, ...[...group.parents].map((parent) => this.#depthOf(parent)));
    this.#depths.set(group, depth);
    return depth;
  }

  /** Ties loose ends: every group is below `all`, hosts without any other group are in `ungrouped`. */
  settle(): void {
    const ungrouped = this.group('ungrouped');
    for (const group of this.groups.values()) {
      if (group.name !== 'all' && group.parents.size === 0) this.link('all', group.name);
    }
    for (const host of this.hosts.values()) {
      const others = [...host.groups].filter(({ name }) => name !== 'all' && name !== 'ungrouped');
      if (others.length === 0) this.join('ungrouped', host.name);
      else if (ungrouped.hosts.has(host)) this.leave(ungrouped, host);
    }
  }
}

/** A group and every group below it, level by level. */
function descendants(group: Group): Group[] {
  return reach(group, ({ children }) => children);
}

/** A host's groups and every group above them, without an order. */
export function groupsAbove(host: Host): Group[] {
  const all = [...host.groups].flatMap((group) => reach(group, ({ parents }) => parents));
  return [...new Set(all)];
}

/** The hosts of a group and of every group below it, in inventory order. */
export function hostsBelow(group: Group): Host[] {
  return [...new Set(descendants(group).flatMap(({ hosts }) => [...hosts]))];
}

/** Order by code units, as Python sorts text. */
export function compare(a: string, b: string): number {
  if (a === b) return 0;
  return a < b ? -1 : 1;
}

function reach(start: Group, next: (group: Group) => Iterable<Group>): Group[] {
  const seen = new Set([start]);
  for (const group of seen) for (const each of next(group)) seen.add(each);
  return [...seen];
}

/** Sets a variable of a group; the group's priority is not a variable. Throws RangeError on a priority that is no number. */
export function setGroupVariable(group: Group, name: string, value: Value): void {
  if (name !== 'ansible_group_priority') {
    group.vars.set(name, value);
    return;
  }
  const priority = Number(value);
  if (!Number.isInteger(priority))
    throw new RangeError(`ansible_group_priority ${String(value)} is not a whole number`);
  group.priority = priority;
}

/** Collects what is wrong with a source while it is read. */
export interface Report {
  problem(place: Position, message: string, hint?: string): void;
  warning(place: Position | undefined, message: string, hint?: string): void;
}
