import { posix } from 'node:path';
import { UnknownState } from '../../shared/errors.ts';
import type { Effect, GroupState, UnitState, UserState } from '../host-contract.ts';
import { normalizePath } from './normalize-path.ts';
import { PathEffects } from './path-effects.ts';
import { type PathAnswer, predictPath, remainder } from './predicted-path.ts';
import { overlayUnit } from './predicted-unit.ts';

type Of<K extends Effect['kind']> = Extract<Effect, { kind: K }>;

/**
 * What the tasks of a check run would have done to one host so far, in order. Answers for the host as it would
 * be; where nothing is predicted, the host itself is to be asked.
 */
export class PredictedState {
  readonly #byKind = new Map<Effect['kind'], Effect[]>();
  readonly #paths = new PathEffects();
  readonly #links = new Map<string, string>();

  apply(effects: readonly Effect[]): void {
    for (const effect of effects) {
      const isPlaced = effect.kind === 'path' || effect.kind === 'unknown-path';
      const kept = isPlaced ? this.#placed(effect) : effect;
      const known = this.#byKind.get(kept.kind);
      if (known === undefined) this.#byKind.set(kept.kind, [kept]);
      else known.push(kept);
      if (kept.kind === 'path' || kept.kind === 'unknown-path') this.#paths.add(kept);
    }
  }

  /** The effect where it lands: what is written through a link lies where the link points. */
  #placed<E extends Of<'path' | 'unknown-path'>>(effect: E): E {
    return { ...effect, name: this.path(effect.name, false).path };
  }

  get isEmpty(): boolean {
    return this.#byKind.size === 0;
  }

  all<K extends Effect['kind']>(kind: K): readonly Of<K>[] {
    return (this.#byKind.get(kind) ?? []) as Of<K>[]; // They are kept by their kind.
  }

  last<K extends Effect['kind']>(kind: K, name: string): Of<K> | undefined {
    return this.all(kind).findLast((effect) => effect.name === name);
  }

  /** What is predicted at a path, or the path at which to ask the host. */
  path(path: string, follow: boolean): PathAnswer {
    const knowledge = { effects: this.#paths, links: this.#links };
    return predictPath(knowledge, normalizePath(path), follow);
  }

  /** Why a file may be there that is not there yet, in words for `unknown (depends on: …)`; undefined where it cannot. */
  sourceOfFile(path: string): string | undefined {
    const answer = this.path(path, true);
    if (answer.known && answer.state !== undefined) return path;
    if (!answer.known && answer.unknown) return answer.unknown.because;
    return this.all('other').find(({ makesFiles }) => makesFiles === true)?.name;
  }

  /** What a path that is not there depends on, where something may have been made below it. */
  sourceOfParent(path: string): string | undefined {
    const at = normalizePath(path);
    return this.all('unknown-path').find(({ name }) => remainder(at, name) !== undefined)?.because;
  }

  /**
   * Effects below a directory, oldest first, under names that begin with the directory as it is given. Throws
   * UnknownState where some of them are not known.
   */
  below(directory: string): Of<'path'>[] {
    const { path } = this.path(directory, true);
    return [...this.#paths].flatMap((effect) => {
      const rest = remainder(path, effect.name);
      const isWithin = rest !== undefined || effect.name === path;
      if (effect.kind === 'unknown-path') {
        const now = isWithin ? this.path(posix.join(effect.name, 'anything'), false) : undefined;
        if (now?.known === false && now.unknown) throw new UnknownState(effect.because);
        return [];
      }
      return rest === undefined ? [] : [{ ...effect, name: posix.join(directory, rest) }];
    });
  }

  /** Keeps links that the host has, and where they lead; tells whether any of them was not known yet. */
  learn(links: ReadonlyMap<string, string>): boolean {
    const fresh = [...links].filter(([from, to]) => this.#links.get(from) !== to);
    for (const [from, to] of fresh) this.#links.set(from, to);
    return fresh.length > 0;
  }

  /** The user as it would be, given how it is. */
  user(nameOrId: string, real: UserState | undefined): UserState | undefined {
    const effect = this.all('user').findLast(
      ({ name, state }) => name === nameOrId || String(state?.uid) === nameOrId,
    );
    return effect === undefined ? real : effect.state;
  }

  /** The group as it would be, given how it is. */
  group(nameOrId: string, real: GroupState | undefined): GroupState | undefined {
    const effect = this.all('group').findLast(
      ({ name, state }) => name === nameOrId || String(state?.gid) === nameOrId,
    );
    return effect === undefined ? real : effect.state;
  }

  /**
   * The unit as it would be, given how it is. Throws UnknownState where it is missing and a package that may or
   * may not ship it would have been installed.
   */
  unit(real: UnitState, options: { readonly startsOnInstall: boolean }): UnitState {
    return overlayUnit(real, this, options);
  }

  /** Names of packages that would have been installed and not removed again. */
  installedPackages(): string[] {
    const latest = new Map(this.all('package').map(({ name, installed }) => [name, installed]));
    return [...latest].filter(([, installed]) => installed).map(([name]) => name);
  }

  /** What a task that fails in a check run may have failed for want of: packages and changes of unknown effect. */
  uncertainties(): string[] {
    const packages = this.installedPackages().map((name) => `package ${name}`);
    return [...new Set([...packages, ...this.all('other').map(({ name }) => name)])];
  }
}
