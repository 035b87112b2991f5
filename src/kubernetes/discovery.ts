import { closest } from '../shared/closest.ts';
import type { ApiClient } from './api-client.ts';
import { isNotFound } from './api-error.ts';
import { type Clock, systemClock } from './clock.ts';
import { parseApiVersion } from './objects.ts';
import {
  findByWord,
  isCalled,
  parseKinds,
  type ResourceList,
  type ServedKind,
} from './served-kind.ts';

export type { ServedKind } from './served-kind.ts';

/** The cluster serves no such kind. */
export class UnknownKind extends Error {
  override readonly name = 'UnknownKind';
}

interface GroupList {
  readonly groups: readonly {
    readonly versions: readonly { readonly groupVersion: string }[];
    readonly preferredVersion: { readonly groupVersion: string };
  }[];
}

interface Known {
  readonly kinds: Promise<readonly ServedKind[] | undefined>;
  readonly askedAtMs: number;
}

/** What is known stays known for so long: definitions rarely change, and a miss asks again anyway. */
const AGE_MS = 600_000;
/** But not more often than this: a mistaken object is looked at again and again. */
const LEAST_AGE_MS = 5000;

/** What kinds the cluster serves. */
export class Discovery {
  readonly #client: ApiClient;
  readonly #clock: Clock;
  readonly #known = new Map<string, Known>();

  constructor(client: ApiClient, clock: Clock = systemClock) {
    this.#client = client;
    this.#clock = clock;
  }

  /**
   * Finds a kind.
   * @throws {UnknownKind} naming what is near.
   */
  async resolve(apiVersion: string, kind: string, signal?: AbortSignal): Promise<ServedKind> {
    const isWanted = (each: ServedKind) => each.kind === kind;
    const found = await this.#search(apiVersion, isWanted, signal);
    if (found !== undefined) return found;
    throw new UnknownKind(await this.#explain(apiVersion, kind, signal));
  }

  /**
   * As `resolve`, but asks again where a kind that is known cannot be scaled: its definition may just have learnt it.
   */
  async resolveScalable(
    apiVersion: string,
    kind: string,
    signal?: AbortSignal,
  ): Promise<ServedKind> {
    const isWanted = (each: ServedKind) => each.kind === kind && each.isScalable;
    const found = await this.#search(apiVersion, isWanted, signal);
    return found ?? this.resolve(apiVersion, kind, signal);
  }

  /**
   * Finds a kind as people name it: by kind, plural, singular or short name; a version without its group ("v1") may be of
   * any group, that of the core first.
   * @throws {UnknownKind} naming what is near, or the versions that have it where they are several.
   */
  async lookUp(apiVersion: string, word: string, signal?: AbortSignal): Promise<ServedKind> {
    const found = await this.#search(apiVersion, (each) => isCalled(each, word), signal);
    if (found !== undefined) {
      const kinds = (await this.#kindsOf(apiVersion, AGE_MS, signal)) ?? [];
      return findByWord(kinds, word) ?? found;
    }
    if (apiVersion.includes('/')) return this.resolve(apiVersion, word, signal);
    return this.#inAnyGroup(apiVersion, word, signal);
  }

  /** Whether a kind is served now, whatever was known of it. */
  async isServed(apiVersion: string, kind: string, signal?: AbortSignal): Promise<boolean> {
    const kinds = await this.#kindsOf(apiVersion, 0, signal);
    return kinds?.some((each) => each.kind === kind) === true;
  }

  async #inAnyGroup(
    version: string,
    word: string,
    signal: AbortSignal | undefined,
  ): Promise<ServedKind> {
    const { groups } = await this.#client.getRaw<GroupList>('/apis', { signal });
    const versions = groups
      .flatMap((group) => group.versions.map(({ groupVersion }) => groupVersion))
      .filter((each) => each.endsWith(`/${version}`));
    const kinds = await Promise.all(
      versions.map((each) => this.#kindsOf(each, AGE_MS, signal).catch(() => [])),
    );
    const found = kinds.flatMap((each) => findByWord(each ?? [], word) ?? []);
    const [only, other] = found;
    if (only === undefined) return this.resolve(version, word, signal);
    if (other === undefined) return only;
    const names = found.map((each) => `${each.group}/${each.version}`).join(', ');
    throw new UnknownKind(`${word} is served as ${names}: say which`);
  }

  async #search(
    apiVersion: string,
    isWanted: (kind: ServedKind) => boolean,
    signal: AbortSignal | undefined,
  ): Promise<ServedKind | undefined> {
    const found = (await this.#kindsOf(apiVersion, AGE_MS, signal))?.find(isWanted);
    return found ?? (await this.#kindsOf(apiVersion, LEAST_AGE_MS, signal))?.find(isWanted);
  }

  /** The kinds of a version, undefined where it is not served; asked for where what is known is older than that. */
  #kindsOf(
    apiVersion: string,
    mostAgeMs: number,
    signal: AbortSignal | undefined,
  ): Promise<readonly ServedKind[] | undefined> {
    const known = this.#known.get(apiVersion);
    const nowMs = this.#clock.monotonicMs();
    if (known !== undefined && nowMs - known.askedAtMs < mostAgeMs) return known.kinds;
    const kinds = this.#ask(apiVersion, signal);
    this.#known.set(apiVersion, { kinds, askedAtMs: nowMs });
    kinds.catch(() => this.#known.delete(apiVersion));
    return kinds;
  }

  async #ask(
    apiVersion: string,
    signal: AbortSignal | undefined,
  ): Promise<readonly ServedKind[] | undefined> {
    const { group, version } = parseApiVersion(apiVersion);
    const parts = (group === '' ? ['api', version] : ['apis', group, version]).map(
      encodeURIComponent,
    );
    try {
      const list = await this.#client.getRaw<ResourceList>(`/${parts.join('/')}`, { signal });
      return parseKinds({ group, version }, list);
    } catch (error) {
      if (isNotFound(error)) return undefined;
      throw error;
    }
  }

  async #explain(
    apiVersion: string,
    kind: string,
    signal: AbortSignal | undefined,
  ): Promise<string> {
    const kinds = await this.#kindsOf(apiVersion, AGE_MS, signal);
    const versions = await this.#versions(signal);
    const elsewhere = await this.#whereElse(kind, versions, signal);
    const other = elsewhere.length === 0 ? '' : `; ${kind} is served as ${elsewhere.join(', ')}`;
    if (kinds === undefined) {
      const near = closest(apiVersion, versions);
      const hint = near === undefined || other !== '' ? other : `; did you mean ${near}?`;
      return `the cluster does not serve apiVersion "${apiVersion}"${hint}`;
    }
    const near = closest(
      kind,
      kinds.map((each) => each.kind),
    );
    const hint = near === undefined ? other : `; did you mean ${near}?`;
    return `${apiVersion} has no kind "${kind}"${hint}`;
  }

  async #versions(signal: AbortSignal | undefined): Promise<readonly string[]> {
    const { groups } = await this.#client.getRaw<GroupList>('/apis', { signal });
    return ['v1', ...groups.map(({ preferredVersion }) => preferredVersion.groupVersion)];
  }

  /** The versions that serve a kind of this very name. A group whose server is away is passed over. */
  async #whereElse(
    kind: string,
    versions: readonly string[],
    signal: AbortSignal | undefined,
  ): Promise<readonly string[]> {
    const found = await Promise.all(
      versions.map(async (version) => {
        const kinds = await this.#kindsOf(version, AGE_MS, signal).catch(() => []);
        return kinds?.some((each) => each.kind === kind) ? [version] : [];
      }),
    );
    return found.flat();
  }
}
