/** Facts that outlive a run, in files that Ansible reads and writes as well (its cache plugin `jsonfile`). */
import { readFileSync, rmSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { makeDirectories } from '../../shared/make-directories.ts';
import { writeFileAtomic } from '../../shared/write-file.ts';
import type { Dict } from '../values.ts';
import { parseFacts, renderFacts } from './fact-cache-format.ts';

/** Where facts are kept between runs, by host and under the names that modules gave them. */
export interface FactCache {
  /** Undefined where nothing is kept or what is kept is too old. */
  read(host: string): Dict | undefined;
  write(host: string, facts: Dict): void;
  forget(host: string): void;
}

export interface FactCacheOptions {
  readonly directory: string;
  /** Begins the names of files. */
  readonly prefix: string;
  /** How long facts count; 0 is for ever. */
  readonly timeoutSeconds: number;
  readonly warn: (text: string) => void;
}

/** Ansible's mark for its second generation of cache files. */
const GENERATION = 's1_';

/** One file for each host in a directory. What cannot be read or written is warned of once and is no failure. */
export class JsonFileCache implements FactCache {
  readonly #options: FactCacheOptions;
  #isUsable: boolean;

  constructor(options: FactCacheOptions) {
    this.#options = options;
    this.#isUsable = true;
    this.#attempt(() => makeDirectories(options.directory));
  }

  read(host: string): Dict | undefined {
    const file = this.#fileOf(host);
    if (!this.#isUsable || !this.#isFresh(file)) return undefined;
    try {
      return parseFacts(readFileSync(file, 'utf8'));
    } catch {
      this.#options.warn(`the cached facts in ${file} cannot be read; they are gathered anew`);
      return undefined;
    }
  }

  write(host: string, facts: Dict): void {
    if (this.#isUsable)
      this.#attempt(() => writeFileAtomic(this.#fileOf(host), renderFacts(facts), 0o644));
  }

  forget(host: string): void {
    if (this.#isUsable) this.#attempt(() => rmSync(this.#fileOf(host), { force: true }));
  }

  #fileOf(host: string): string {
    // A host may be named like a path; its file stays in the directory.
    const name = host.replaceAll('/', '%2F');
    return join(this.#options.directory, this.#options.prefix + GENERATION + name);
  }

  #isFresh(file: string): boolean {
    const written = statSync(file, { throwIfNoEntry: false })?.mtimeMs;
    const { timeoutSeconds } = this.#options;
    if (written === undefined) return false;
    return timeoutSeconds === 0 || Date.now() - written <= timeoutSeconds * 1000;
  }

  #attempt(work: () => void): void {
    try {
      work();
    } catch (error) {
      this.#isUsable = false;
      const { directory, warn } = this.#options;
      const reason = error instanceof Error ? error.message : String(error);
      warn(`facts are not cached in ${directory}: ${reason}`);
    }
  }
}
