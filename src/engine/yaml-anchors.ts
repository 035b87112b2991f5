import type { YamlNode } from './yaml-node.ts';

/** Expanding aliases beyond this many nodes is an attack or a mistake. */
const MAX_EXPANDED_NODES = 1_000_000;

/** The anchors of a document read so far. */
export class Anchors {
  readonly #nodes = new Map<string, YamlNode | 'open'>();
  readonly #sizes = new WeakMap<YamlNode, number>();
  #expanded = 0;

  /** An anchored node begins. */
  open(name: string): void {
    this.#nodes.set(name, 'open');
  }

  /** An anchored node is complete. */
  close(name: string, node: YamlNode): void {
    this.#nodes.set(name, node);
  }

  /** The node that an alias stands for, or what is wrong with the alias. */
  resolve(name: string): YamlNode | string {
    const target = this.#nodes.get(name);
    if (target === undefined) return `the alias *${name} names no anchor before it`;
    if (target === 'open') return `the alias *${name} contains itself`;
    this.#expanded += this.#sizeOf(target);
    if (this.#expanded <= MAX_EXPANDED_NODES) return target;
    return `the aliases up to *${name} expand to too many values`;
  }

  /** How many nodes a tree has once its aliases are written out. */
  #sizeOf(node: YamlNode): number {
    if (node.kind === 'scalar') return 1;
    const known = this.#sizes.get(node);
    if (known !== undefined) return known;
    const children = node.kind === 'list' ? node.items : node.entries.map((entry) => entry.node);
    const size = children.reduce((sum, child) => sum + this.#sizeOf(child), 1);
    this.#sizes.set(node, size);
    return size;
  }
}
