/** Arguments of the ssh command, as `ansible_ssh_common_args` has them, read for a transport that is not ssh. */
import { InvalidInput } from '../../shared/errors.ts';
import { table } from '../../shared/table.ts';
import type { SshOptions } from './ssh-config.ts';

/** What arguments of ssh say. */
export interface SshArgs {
  readonly options: SshOptions;
  /** The file of -F. */
  readonly configFile: string | undefined;
}

/** Letters that take a value, and the option each stands for. */
const VALUED: Readonly<Record<string, string>> = table({
  i: 'identityfile',
  p: 'port',
  l: 'user',
  J: 'proxyjump',
  b: 'bindaddress',
});

/** Letters that change nothing for us: verbosity, multiplexing, terminals, forwarding of displays. */
const HARMLESS = new Set('vqTtnxXYaKkCfN');

/** Options that the ssh2 library can follow, or that do not change which host is reached and how it is trusted. */
const HONOURED = new Set([
  'addressfamily',
  'bindaddress',
  'connecttimeout',
  'forwardagent',
  'globalknownhostsfile',
  'hashknownhosts',
  'hostkeyalias',
  'hostname',
  'identitiesonly',
  'identityagent',
  'identityfile',
  'kbdinteractiveauthentication',
  'passwordauthentication',
  'port',
  'preferredauthentications',
  'proxycommand',
  'proxyjump',
  'pubkeyauthentication',
  'serveralivecountmax',
  'serveraliveinterval',
  'stricthostkeychecking',
  'user',
  'userknownhostsfile',
]);
const WITHOUT_MEANING = new Set([
  'addkeystoagent',
  'batchmode',
  'challengeresponseauthentication',
  'checkhostip',
  'compression',
  'connectionattempts',
  'controlmaster',
  'controlpath',
  'controlpersist',
  'enablesshkeysign',
  'escapechar',
  'forwardx11',
  'forwardx11trusted',
  'gssapiauthentication',
  'gssapidelegatecredentials',
  'hostbasedauthentication',
  'ipqos',
  'loglevel',
  'numberofpasswordprompts',
  'requesttty',
  'sendenv',
  'tcpkeepalive',
  'updatehostkeys',
  'verifyhostkeydns',
  'visualhostkey',
]);

/** Reads arguments. Throws InvalidInput, naming every one that the ssh transport cannot honour. */
export function parseSshArgs(args: readonly string[]): SshArgs {
  const reader = new ArgsReader();
  const rest = [...args];
  for (let arg = rest.shift(); arg !== undefined; arg = rest.shift()) reader.read(arg, rest);
  return reader.result();
}

class ArgsReader {
  readonly #options: SshOptions = new Map();
  readonly #refused: string[] = [];
  #configFile: string | undefined;

  read(arg: string, rest: string[]): void {
    const letter = arg[1] ?? '';
    const value = () => (arg.length > 2 ? arg.slice(2) : (rest.shift() ?? ''));
    const keyword = VALUED[letter];
    if (!arg.startsWith('-')) this.#refused.push(arg);
    else if (letter === 'o') this.#option(value());
    else if (letter === 'F') this.#configFile = value();
    else if (keyword !== undefined) this.#set(keyword, [value()]);
    else this.#flags(arg);
  }

  result(): SshArgs {
    if (this.#refused.length === 0) return { options: this.#options, configFile: this.#configFile };
    throw new InvalidInput(
      this.#refused.map((text) => ({
        message: `The ssh transport cannot honour "${text}" among the ssh arguments.`,
        hint: 'remove it, or set ansible_connection=openssh to use the ssh command of this machine',
      })),
    );
  }

  #flags(arg: string): void {
    for (const letter of arg.slice(1)) {
      if (letter === '4' || letter === '6')
        this.#set('addressfamily', [letter === '4' ? 'inet' : 'inet6']);
      else if (letter === 'A') this.#set('forwardagent', ['yes']);
      else if (!HARMLESS.has(letter)) this.#refused.push(arg);
    }
  }

  #option(text: string): void {
    const [, keyword = '', value = ''] = /^\s*(\w+)(?:\s*=\s*|\s+)(.*)$/s.exec(text) ?? [];
    const lower = keyword.toLowerCase();
    if (HONOURED.has(lower))
      this.#set(lower, lower === 'proxycommand' ? [value] : splitWords(value));
    else if (!WITHOUT_MEANING.has(lower)) this.#refused.push(`-o ${text}`);
  }

  #set(keyword: string, values: readonly string[]): void {
    const old = this.#options.get(keyword);
    if (old === undefined) this.#options.set(keyword, [...values]);
    else if (keyword === 'identityfile') old.push(...values);
  }
}

function splitWords(text: string): string[] {
  return [...text.matchAll(/"([^"]*)"|(\S+)/g)].map(([, quoted, bare]) => quoted ?? bare ?? '');
}
