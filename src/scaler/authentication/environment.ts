/** The environment of a container, as its pod would have it (Kubernetes, core/v1 Container.env and envFrom). */
import type { ClusterReader } from '../trigger.ts';
import { MissingCredential } from './credential-reader.ts';

interface KeySelector {
  readonly name?: string;
  readonly key: string;
  readonly optional?: boolean;
}
interface Reference {
  readonly name?: string;
  readonly optional?: boolean;
}
interface EnvVar {
  readonly name: string;
  readonly value?: string;
  readonly valueFrom?: {
    readonly secretKeyRef?: KeySelector;
    readonly configMapKeyRef?: KeySelector;
    readonly fieldRef?: object;
    readonly resourceFieldRef?: object;
  };
}
interface EnvFrom {
  readonly prefix?: string;
  readonly secretRef?: Reference;
  readonly configMapRef?: Reference;
}
export interface Container {
  readonly name: string;
  readonly env?: readonly EnvVar[];
  readonly envFrom?: readonly EnvFrom[];
}
/** The part of a pod template that credentials come from. */
export interface PodTemplate {
  readonly containers?: readonly Container[];
  readonly initContainers?: readonly Container[];
}

/** Reads a ConfigMap's or a Secret's texts; undefined where there is none. */
export type ReadData = ClusterReader['data'];
type DataKind = Parameters<ReadData>[0];

/**
 * The container with the name, or the first.
 * @throws {MissingCredential} where no container has that name.
 */
export function containerOf(
  template: PodTemplate,
  name: string | undefined,
): Container | undefined {
  const containers = [...(template.containers ?? []), ...(template.initContainers ?? [])];
  if (name === undefined || name === '') return containers[0];
  const found = containers.find((container) => container.name === name);
  if (found !== undefined) return found;
  const names = containers.map((container) => container.name).join(', ');
  throw new MissingCredential(`the scale target has no container "${name}" (it has: ${names})`);
}

/** The environment of one container; each variable is looked up only when it is asked for. */
export class Environment {
  readonly #container: Container;
  readonly #namespace: string;
  readonly #read: ReadData;

  constructor(container: Container, namespace: string, read: ReadData) {
    this.#container = container;
    this.#namespace = namespace;
    this.#read = read;
  }

  /**
   * The value of a variable.
   * @throws {MissingCredential} that says where it would have to be.
   */
  async valueOf(name: string): Promise<string> {
    const value = await this.#lookUp(name, this.#container.env?.length ?? 0);
    if (value !== undefined) return value;
    throw new MissingCredential(
      `environment variable ${name} is not set in container ${this.#container.name} of the scale target`,
    );
  }

  /** The value of a variable, or of the one that comes from the key of that name in a Secret or ConfigMap. */
  async find(name: string): Promise<string | undefined> {
    const entries = this.#container.env ?? [];
    const value = await this.#lookUp(name, entries.length);
    if (value !== undefined) return value;
    const index = entries.findLastIndex(
      ({ valueFrom }) =>
        valueFrom?.secretKeyRef?.key === name || valueFrom?.configMapKeyRef?.key === name,
    );
    const entry = entries[index];
    return entry === undefined ? this.#fromWhole(name, true) : this.#valueOfEntry(entry, index);
  }

  /** @param end Entries of `env` from here on are not there yet: an entry sees only those before it. */
  async #lookUp(name: string, end: number): Promise<string | undefined> {
    const entries = this.#container.env ?? [];
    for (let index = end - 1; index >= 0; index--) {
      const entry = entries[index];
      if (entry?.name !== name) continue;
      const value = await this.#valueOfEntry(entry, index);
      // An optional one that is not there hides nothing that was set before.
      if (value !== undefined) return value;
    }
    return this.#fromWhole(name);
  }

  async #valueOfEntry(entry: EnvVar, index: number): Promise<string | undefined> {
    const { secretKeyRef, configMapKeyRef, fieldRef, resourceFieldRef } = entry.valueFrom ?? {};
    if (secretKeyRef !== undefined) return this.#key('Secret', secretKeyRef);
    if (configMapKeyRef !== undefined) return this.#key('ConfigMap', configMapKeyRef);
    if (fieldRef !== undefined || resourceFieldRef !== undefined) {
      throw new MissingCredential(
        `environment variable ${entry.name} comes from a field of the pod, which only the pod knows`,
      );
    }
    return this.#expand(entry.value ?? '', index);
  }

  /** `$(NAME)` becomes a variable's value where there is one; `$$` is a dollar. */
  async #expand(text: string, index: number): Promise<string> {
    let expanded = '';
    let end = 0;
    for (const match of text.matchAll(/\$\$|\$\(([^)]*)\)/g)) {
      const [whole, name] = match;
      const value = name === undefined ? '$' : await this.#lookUp(name, index);
      expanded += text.slice(end, match.index) + (value ?? whole);
      end = match.index + whole.length;
    }
    return expanded + text.slice(end);
  }

  async #key(kind: DataKind, selector: KeySelector): Promise<string | undefined> {
    const { name = '', key, optional = false } = selector;
    const data = await this.#read(kind, this.#namespace, name);
    if (data !== undefined && Object.hasOwn(data, key)) return data[key];
    if (optional) return undefined;
    const what = data === undefined ? 'does not exist' : `has no key "${key}"`;
    throw new MissingCredential(`${kind} ${this.#namespace}/${name} ${what}`);
  }

  /** Out of `envFrom`, whose later entries win. @param isKey The name has no prefix. */
  async #fromWhole(name: string, isKey = false): Promise<string | undefined> {
    for (const { prefix = '', secretRef, configMapRef } of this.#container.envFrom?.toReversed() ??
      []) {
      if (!isKey && !name.startsWith(prefix)) continue;
      const key = isKey ? name : name.slice(prefix.length);
      const value =
        secretRef === undefined
          ? await this.#whole('ConfigMap', configMapRef, key)
          : await this.#whole('Secret', secretRef, key);
      if (value !== undefined) return value;
    }
    return undefined;
  }

  async #whole(
    kind: DataKind,
    reference: Reference | undefined,
    key: string,
  ): Promise<string | undefined> {
    const name = reference?.name ?? '';
    const data = await this.#read(kind, this.#namespace, name);
    if (data !== undefined) return Object.hasOwn(data, key) ? data[key] : undefined;
    if (reference?.optional === true) return undefined;
    throw new MissingCredential(`${kind} ${this.#namespace}/${name} does not exist`);
  }
}
