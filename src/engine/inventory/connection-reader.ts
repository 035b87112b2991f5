import { homedir } from 'node:os';
import { didYouMean, InvalidInput } from '../../shared/errors.ts';
import { splitWords } from '../../shared/shell-words.ts';
import type { Settings } from '../config/config-settings.ts';
import type { ConnectionSettings } from '../connection/connection.ts';
import { Float, type Position, type Value, VaultText } from '../values.ts';

/** What the command line says of connections. */
export interface ConnectionOptions {
  readonly connection?: string | undefined;
  readonly user?: string | undefined;
  readonly password?: string | undefined;
  readonly privateKeyFile?: string | undefined;
  readonly timeoutSeconds?: number | undefined;
  readonly sshCommonArgs?: string | undefined;
  readonly sshExtraArgs?: string | undefined;
  /** Records the keys of hosts that are not known yet. */
  readonly acceptNew?: boolean | undefined;
  readonly become?: boolean | undefined;
  readonly becomeMethod?: string | undefined;
  readonly becomeUser?: string | undefined;
  readonly becomePassword?: string | undefined;
}

/** What holds where neither a variable nor a keyword says otherwise. */
export interface ConnectionDefaults {
  readonly options: ConnectionOptions;
  readonly settings: Settings;
  /** Asks the person at the terminal; absent where there is none. */
  readonly prompt?: ((question: string) => Promise<string>) | undefined;
}

export interface ConnectionRequest {
  /** Name of the host in the inventory. */
  readonly name: string;
  /** A rendered variable of the host. */
  readonly variable: (name: string) => Value | undefined;
  /** A rendered keyword of the task, its blocks or its play. */
  readonly keyword: (name: string) => Value | undefined;
  readonly defaults: ConnectionDefaults;
  /** Where the task is written, for messages. */
  readonly task?: Position | undefined;
}

const TRANSPORTS: ReadonlyMap<string, ConnectionSettings['transport']> = new Map([
  ['ssh', 'ssh'],
  ['smart', 'ssh'],
  ['paramiko', 'ssh'],
  ['paramiko_ssh', 'ssh'],
  ['openssh', 'openssh'],
  ['local', 'local'],
] as const);

/** Reads what variables and keywords say of a connection, in the type that is wanted. */
export class ConnectionReader {
  readonly #request: ConnectionRequest;

  constructor(request: ConnectionRequest) {
    this.#request = request;
  }

  text(names: readonly string[], keyword?: string): string | undefined {
    const value = this.#find(names, keyword)?.value;
    return value === undefined ? undefined : textOf(value);
  }

  /** A list, or text with commas. */
  list(names: readonly string[]): readonly string[] | undefined {
    const value = this.#find(names, undefined)?.value;
    if (value === undefined) return undefined;
    return Array.isArray(value)
      ? value.map(textOf)
      : textOf(value)
          .split(/\s*,\s*/)
          .filter(Boolean);
  }

  number(names: readonly string[], keyword?: string): number | undefined {
    const found = this.#find(names, keyword);
    if (found === undefined) return undefined;
    const number = Number(textOf(found.value));
    if (Number.isFinite(number) && number >= 0) return number;
    throw this.#refuse(found.name, found.value, 'is not a number');
  }

  flag(names: readonly string[], keyword?: string): boolean | undefined {
    const found = this.#find(names, keyword);
    if (found === undefined) return undefined;
    const word = textOf(found.value).toLowerCase();
    if (/^(?:true|yes|y|on|1|t)$/.test(word)) return true;
    if (/^(?:false|no|n|off|0|f|)$/.test(word)) return false;
    throw this.#refuse(found.name, found.value, 'is neither true nor false');
  }

  path(names: readonly string[], otherwise: string | undefined): string | undefined {
    return (this.text(names) ?? otherwise)?.replace(/^~(?=\/|$)/, homedir());
  }

  words(text: string): string[] {
    try {
      return splitWords(text);
    } catch (error) {
      const reason = error instanceof Error ? error.message : String(error);
      throw InvalidInput.at(
        this.#request.task,
        `the SSH arguments "${text}" cannot be split: ${reason}`,
      );
    }
  }

  transport(otherwise: string): ConnectionSettings['transport'] {
    const written = this.text(['ansible_connection'], 'connection') ?? otherwise;
    const name = written.replace(/^ansible\.(?:builtin|legacy)\./, '');
    const transport = TRANSPORTS.get(name);
    if (transport !== undefined) return transport;
    const hint = didYouMean(name, TRANSPORTS.keys()) ?? 'ssh, openssh and local are';
    const message = `${this.#request.name}: the connection "${written}" is not supported`;
    throw InvalidInput.at(this.#request.task, message, hint);
  }

  hostKeyChecking(
    sshArgs: readonly string[],
    { options, settings }: ConnectionDefaults,
  ): ConnectionSettings['hostKeyChecking'] {
    const names = ['ansible_host_key_checking', 'ansible_ssh_host_key_checking'];
    if (this.text(names) === 'accept-new') return 'accept-new';
    const isChecked = this.flag(names) ?? checkingOf(sshArgs);
    if (isChecked === 'accept-new') return isChecked;
    if (isChecked === undefined && options.acceptNew === true) return 'accept-new';
    return (isChecked ?? settings.hostKeyChecking) ? 'strict' : 'off';
  }

  #find(
    names: readonly string[],
    keyword: string | undefined,
  ): { name: string; value: Value } | undefined {
    for (const name of names) {
      const value = this.#request.variable(name);
      if (value !== undefined && value !== null) return { name, value };
    }
    const value = keyword === undefined ? undefined : this.#request.keyword(keyword);
    return value === undefined || value === null ? undefined : { name: keyword ?? '', value };
  }

  #refuse(name: string, value: Value, fault: string): InvalidInput {
    return InvalidInput.at(
      this.#request.task,
      `${this.#request.name}: ${name} "${textOf(value)}" ${fault}`,
    );
  }
}

/** What `-o StrictHostKeyChecking=` says, where it is among the arguments. */
function checkingOf(sshArgs: readonly string[]): boolean | 'accept-new' | undefined {
  const word = /StrictHostKeyChecking[= ](\S+)/i.exec(sshArgs.join(' '))?.[1]?.toLowerCase();
  if (word === undefined || word === 'accept-new') return word;
  return !/^(?:no|off|false)$/.test(word);
}

function textOf(value: Value): string {
  if (value instanceof VaultText) return value.plain();
  return String(value instanceof Float ? value.value : value);
}
