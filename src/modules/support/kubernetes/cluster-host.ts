import type { Duplex } from 'node:stream';
import {
  type Controller,
  expandPath,
  type PathState,
  type Reader,
  TaskError,
} from '../../../engine/module.ts';

const VAULTED = '$ANSIBLE_VAULT';

/** The machine from which tasks look at a cluster, with the rights and the environment of the task's user. */
export class ClusterHost {
  /** As messages name it: `this machine`, or a host of the inventory. */
  readonly name: string;
  readonly isLocal: boolean;
  readonly #controller: Controller;
  #reader: Reader;

  constructor(reader: Reader, controller: Controller) {
    this.isLocal = reader.isLocal === true;
    this.name = this.isLocal ? 'this machine' : reader.name;
    this.#reader = reader;
    this.#controller = controller;
  }

  /** Looks through the connection of another task from now on: that of an earlier one may have been closed. */
  lookThrough(reader: Reader): void {
    this.#reader = reader;
  }

  /** A path with `~` and variables replaced; a relative one of the controller is looked for as files of roles are. */
  async locate(path: string): Promise<string> {
    const expanded = await expandPath(this.#reader, path);
    const isSearched = this.isLocal && !expanded.startsWith('/');
    return isSearched ? this.#controller.findFile('files', expanded) : expanded;
  }

  /** A text file; undefined where there is none. Throws TaskError where it cannot be read. */
  async findText(path: string): Promise<string | undefined> {
    const found = await this.#look(path);
    if (found === undefined) return undefined;
    if (found.content === undefined && found.type !== 'file') {
      throw new TaskError(`${path} on ${this.name} is no file but a ${found.type}`);
    }
    if (found.content === undefined) throw this.#unreadable(path);
    const text = found.content.toString('utf8');
    if (!this.isLocal || !text.startsWith(VAULTED)) return text;
    return this.#controller.readFile(path).toString('utf8');
  }

  /** Those of the paths at which there is something that the user may see. */
  async present(paths: readonly string[]): Promise<readonly string[]> {
    const states = await Promise.all(
      paths.map((path) => this.#reader.path(path, { follow: true }).catch(() => undefined)),
    );
    return paths.filter((_, i) => states[i] !== undefined);
  }

  /** Opens a TCP stream from the machine. */
  openStream(to: { readonly host: string; readonly port: number }): Promise<Duplex> {
    return this.#reader.openStream(to);
  }

  async #look(path: string): Promise<PathState | undefined> {
    try {
      return await this.#reader.path(path, { follow: true, content: true });
    } catch (error) {
      if (!(error instanceof TaskError)) throw error;
      throw this.#unreadable(path, /: ([^:]+)$/.exec(error.message)?.[0]);
    }
  }

  #unreadable(path: string, why = ''): TaskError {
    return new TaskError(`${path} on ${this.name} cannot be read${why}`, {
      hint: 'read it as its owner: become: true',
    });
  }
}
