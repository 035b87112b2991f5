/** ssh_config(5): what the user's and the system's configuration say about a host. */
import { execFile } from 'node:child_process';
import { readdir, readFile } from 'node:fs/promises';
import { hostname, userInfo } from 'node:os';
import { dirname, isAbsolute, join } from 'node:path';
import { LineType, parse } from 'ssh-config';
import { InvalidInput } from '../../shared/errors.ts';
import { matchesPatterns } from './known-hosts.ts';

/** Options by keyword in lower case. The first value found counts, but for those in ACCUMULATING. */
export type SshOptions = Map<string, string[]>;

/** Whose configuration is read. */
export interface ConfigQuery {
  /** The name given by the user; Host patterns are matched against it. */
  readonly host: string;
  /** Options from the command line: they come first. */
  readonly given: SshOptions;
  /** The file given with -F, which replaces both default files; `none` for no file at all. */
  readonly file?: string | undefined;
  readonly home: string;
}

interface Line {
  readonly keyword: string;
  readonly words: readonly string[];
  /** The words as they were written, quotes included. */
  readonly text: string;
  readonly body: readonly Line[] | undefined;
}

const ACCUMULATING = new Set(['identityfile', 'certificatefile', 'sendenv', 'setenv']);
/** Options whose value is a command line: their quotes belong to the shell. */
const COMMANDS = new Set(['proxycommand', 'localcommand', 'remotecommand', 'knownhostscommand']);
/** Criteria of Match lines that stand by themselves. */
const WITHOUT_ARGUMENT = new Set(['all', 'canonical', 'final']);
const SYSTEM_FILE = '/etc/ssh/ssh_config';
const MAX_DEPTH = 16;

/** The options that apply to a host. Throws InvalidInput where a file given with -F cannot be read. */
export async function readSshConfig(query: ConfigQuery): Promise<SshOptions> {
  const reader = new ConfigReader(query);
  await reader.readAll();
  await reader.readAgain();
  return reader.options;
}

class ConfigReader {
  readonly options: SshOptions;
  readonly #query: ConfigQuery;
  /** What Host patterns are matched against. */
  #host: string;
  #wantsFinalPass = false;
  #isFinalPass = false;

  constructor(query: ConfigQuery) {
    this.#query = query;
    this.#host = query.host;
    this.options = new Map([...query.given].map(([keyword, values]) => [keyword, [...values]]));
  }

  async readAll(): Promise<void> {
    const { file, home } = this.#query;
    if (file === undefined) {
      await this.readFile(join(home, '.ssh/config'));
      await this.readFile(SYSTEM_FILE);
    } else if (file.toLowerCase() !== 'none') {
      await this.#readGivenFile(file);
    }
  }

  /** A second pass, for the name that the host has after the first, where the configuration asks for one. */
  async readAgain(): Promise<void> {
    const canonicalize = this.options.get('canonicalizehostname')?.[0] ?? 'no';
    if (!this.#wantsFinalPass && !/^(yes|always)$/i.test(canonicalize)) return;
    this.#isFinalPass = true;
    this.#host = this.#hostName();
    await this.readAll();
  }

  async #readGivenFile(file: string): Promise<void> {
    const text = await readFile(file, 'utf8').catch((error: Error) => {
      throw InvalidInput.at(
        undefined,
        `The ssh configuration "${file}" cannot be read: ${error.message}.`,
      );
    });
    await this.#apply(readLines(text, file), true, { base: dirname(file), depth: 0 });
  }

  async readFile(file: string, active = true, depth = 0): Promise<void> {
    const text = await readFile(file, 'utf8').catch(() => undefined);
    if (text !== undefined)
      await this.#apply(readLines(text, file), active, { base: dirname(file), depth });
  }

  async #apply(lines: readonly Line[], active: boolean, place: Place): Promise<void> {
    for (const line of lines) {
      if (line.body !== undefined) {
        await this.#apply(line.body, active && (await this.#applies(line)), place);
      } else if (line.keyword === 'include') {
        await this.#include(line, active, place);
      } else if (active) {
        this.#take(line);
      }
    }
  }

  async #include({ words }: Line, active: boolean, { base, depth }: Place): Promise<void> {
    if (depth >= MAX_DEPTH || !active) return;
    for (const word of words) {
      const path = word.startsWith('~/') ? join(this.#query.home, word.slice(2)) : word;
      for (const file of await expandGlob(isAbsolute(path) ? path : join(base, path))) {
        await this.readFile(file, active, depth + 1);
      }
    }
  }

  #take({ keyword, words, text }: Line): void {
    const value = COMMANDS.has(keyword) ? [text] : [...words];
    const old = this.options.get(keyword);
    if (old === undefined) this.options.set(keyword, value);
    else if (ACCUMULATING.has(keyword)) old.push(...value.filter((each) => !old.includes(each)));
  }

  async #applies({ keyword, words }: Line): Promise<boolean> {
    if (keyword === 'host') return matchesPatterns(words, this.#host);
    let applies = true;
    for (let i = 0; i < words.length; i++) {
      const [name = '', inline] = splitOnce(words[i] ?? '');
      const criterion = name.replace(/^!/, '').toLowerCase();
      const argument = WITHOUT_ARGUMENT.has(criterion) ? '' : (inline ?? words[++i] ?? '');
      this.#wantsFinalPass ||= criterion === 'final';
      applies &&= (await this.#holds(criterion, argument)) !== name.startsWith('!');
    }
    return applies;
  }

  /** One criterion of a Match line. Those that depend on things we do not have do not hold. */
  async #holds(criterion: string, argument: string): Promise<boolean> {
    if (criterion === 'all') return true;
    if (criterion === 'final' || criterion === 'canonical') return this.#isFinalPass;
    if (criterion === 'exec') return succeeds(this.#expand(argument));
    const local = userInfo().username;
    const subject: Record<string, string> = {
      host: this.#hostName(),
      originalhost: this.#query.host,
      user: this.options.get('user')?.[0] ?? local,
      localuser: local,
    };
    const text = subject[criterion];
    return text !== undefined && matchesPatterns(argument.split(','), text);
  }

  #hostName(): string {
    const { host } = this.#query;
    return this.options.get('hostname')?.[0]?.replaceAll('%h', host) ?? host;
  }

  #expand(text: string): string {
    const { host, home } = this.#query;
    const user = this.options.get('user')?.[0] ?? userInfo().username;
    return expandTokens(text, {
      n: host,
      h: host,
      r: user,
      d: home,
      p: this.options.get('port')?.[0] ?? '22',
    });
  }
}

interface Place {
  /** Directory to which relative Include names belong. */
  readonly base: string;
  readonly depth: number;
}

/** Replaces %-tokens; `%%`, `%u`, `%l`, `%L` and `%i` are always known. Unknown ones stay as they are. */
export function expandTokens(text: string, tokens: Readonly<Record<string, string>>): string {
  const { username, uid } = userInfo();
  const known: Readonly<Record<string, string>> = {
    '%': '%',
    u: username,
    i: String(uid),
    l: hostname(),
    L: hostname().split('.')[0] ?? '',
    ...tokens,
  };
  return text.replaceAll(/%(.)/g, (whole, token: string) => known[token] ?? whole);
}

function readLines(text: string, file: string): Line[] {
  // The library wants an argument for every negated criterion; one more that always holds is that or does no harm.
  const complete = text.replaceAll(/^\s*match\b.*$/gim, '$& all');
  try {
    return toLines(parse(complete));
  } catch (cause) {
    const reason = cause instanceof Error ? cause.message : String(cause);
    throw InvalidInput.at(undefined, `The ssh configuration "${file}" is not valid: ${reason}.`);
  }
}

function toLines(parsed: ReturnType<typeof parse>): Line[] {
  return parsed.flatMap((line) => {
    if (line.type !== LineType.DIRECTIVE) return [];
    const tokens =
      typeof line.value === 'string' ? [{ val: line.value, quoted: false }] : line.value;
    return {
      keyword: line.param.toLowerCase(),
      words: tokens.map(({ val }) => val),
      text: tokens.map(({ val, quoted }) => (quoted === true ? `"${val}"` : val)).join(' '),
      body: 'config' in line ? toLines(line.config) : undefined,
    };
  });
}

function splitOnce(word: string): [string, string | undefined] {
  const at = word.indexOf('=');
  return at < 0 ? [word, undefined] : [word.slice(0, at), word.slice(at + 1)];
}

function succeeds(command: string): Promise<boolean> {
  return new Promise((resolve) => {
    execFile('/bin/sh', ['-c', command], (error) => resolve(error === null));
  });
}

/** Files that a path with wildcards names, in order. A path without any names itself. */
async function expandGlob(path: string): Promise<string[]> {
  let found = ['/'];
  for (const part of path.split('/').filter(Boolean)) {
    const next = await Promise.all(
      found.map((dir) => (/[*?]/.test(part) ? matching(dir, part) : [join(dir, part)])),
    );
    found = next.flat();
  }
  return found;
}

async function matching(dir: string, pattern: string): Promise<string[]> {
  const names = await readdir(dir).catch(() => []);
  const hidden = pattern.startsWith('.');
  return names
    .filter((name) => (hidden || !name.startsWith('.')) && matchesPatterns([pattern], name))
    .sort()
    .map((name) => join(dir, name));
}
