/** Everything that decides how the ssh transport reaches and enters one host. */
import { homedir, userInfo } from 'node:os';
import { join } from 'node:path';
import { InvalidInput } from '../../shared/errors.ts';
import type { ConnectionSettings } from './connection.ts';
import type { HostKeyPolicy } from './host-key-policy.ts';
import { parseSshArgs, type SshArgs } from './ssh-args.ts';
import { expandTokens, readSshConfig, type SshOptions } from './ssh-config.ts';
import { debugTrace } from './trace.ts';

/** One host on the way, the last one included. */
export interface SshTarget {
  /** Name for messages. */
  readonly name: string;
  readonly host: string;
  readonly port: number;
  readonly user: string;
  readonly identityFiles: readonly string[];
  /** True where the files were asked for: a missing or locked one is then an error. */
  readonly identitiesGiven: boolean;
  readonly identitiesOnly: boolean;
  readonly agent: string | undefined;
  readonly forwardAgent: boolean;
  /** Ways to log in that the configuration forbids. */
  readonly without: ReadonlySet<string>;
  readonly password: string | undefined;
  readonly passphrase: string | undefined;
  readonly prompt: ConnectionSettings['prompt'];
  /** Hears what the library says. */
  readonly debug: ((text: string) => void) | undefined;
  readonly proxyJump: readonly string[];
  readonly proxyCommand: string | undefined;
  readonly hostKeys: HostKeyPolicy;
  readonly family: 0 | 4 | 6;
  readonly localAddress: string | undefined;
  readonly connectTimeoutMs: number;
  readonly keepaliveMs: number;
  readonly keepaliveCount: number;
}

const KEEPALIVE_SECONDS = '15';
const KEEPALIVE_COUNT = '4';
const DEFAULT_IDENTITIES = ['id_rsa', 'id_ecdsa', 'id_ed25519', 'id_dsa'];

/** Resolves a host from the settings, ssh arguments and ssh configuration, in that order. */
export async function resolveTarget(settings: ConnectionSettings): Promise<SshTarget> {
  const args = parseSshArgs(settings.sshArgs);
  const given = new Map(args.options);
  if (settings.user !== undefined) given.set('user', [settings.user]);
  if (settings.port !== undefined) given.set('port', [String(settings.port)]);
  if (settings.privateKeyFile !== undefined) {
    given.set('identityfile', [
      settings.privateKeyFile,
      ...(args.options.get('identityfile') ?? []),
    ]);
  }
  return targetOf(settings, args, given);
}

/** Resolves a jump host, `[user@]host[:port]`: only the configuration and the policy of the journey speak for it. */
export async function resolveJump(spec: string, settings: ConnectionSettings): Promise<SshTarget> {
  const [, user, bracketed, bare, port] =
    /^(?:ssh:\/\/)?(?:(.*)@)?(?:\[(.+)\]|([^:]+))(?::(\d+))?\/?$/.exec(spec) ?? [];
  const address = bracketed ?? bare;
  if (address === undefined)
    throw InvalidInput.at(undefined, `The jump host "${spec}" is not [user@]host[:port].`);
  const args = parseSshArgs(settings.sshArgs);
  const given: SshOptions = new Map();
  for (const keyword of [
    'userknownhostsfile',
    'globalknownhostsfile',
    'stricthostkeychecking',
    'identityagent',
  ]) {
    const value = args.options.get(keyword);
    if (value !== undefined) given.set(keyword, value);
  }
  if (user !== undefined) given.set('user', [user]);
  if (port !== undefined) given.set('port', [port]);
  const { password: _password, ...rest } = settings;
  return targetOf(
    { ...rest, name: `${settings.name} (jump host ${address})`, address },
    args,
    given,
  );
}

async function targetOf(
  settings: ConnectionSettings,
  args: SshArgs,
  given: SshOptions,
): Promise<SshTarget> {
  const home = homedir();
  const options = await readSshConfig({
    host: settings.address,
    given,
    file: args.configFile,
    home,
  });
  const get = (keyword: string, fallback = '') => options.get(keyword)?.[0] ?? fallback;
  const user = get('user', userInfo().username);
  const host = expandTokens(get('hostname', settings.address), { h: settings.address });
  const port = Number(get('port', '22'));
  const expand = (text: string) =>
    expandPath(text, { n: settings.address, h: host, p: String(port), r: user, d: home });
  const identities = options.get('identityfile')?.filter((file) => file.toLowerCase() !== 'none');
  const files = (keyword: string, fallback: readonly string[]) =>
    (options.get(keyword) ?? fallback).map(expand);
  return {
    name: settings.name,
    host,
    port,
    user,
    identityFiles: (identities ?? DEFAULT_IDENTITIES.map((name) => join(home, '.ssh', name))).map(
      expand,
    ),
    identitiesGiven: identities !== undefined,
    identitiesOnly: isYes(get('identitiesonly')),
    agent: agentSocket(get('identityagent', 'SSH_AUTH_SOCK'), expand),
    forwardAgent: isYes(get('forwardagent')),
    without: forbidden(options),
    password: settings.password,
    passphrase: settings.privateKeyPassphrase,
    prompt: settings.prompt,
    debug: debugTrace(settings.name, settings.trace),
    proxyJump: listOf(get('proxyjump')),
    proxyCommand: commandOf(options.get('proxycommand')?.[0], (text) =>
      expandTokens(text, { n: settings.address, h: host, p: String(port), r: user, d: home }),
    ),
    hostKeys: {
      name: settings.name,
      address: { host: get('hostkeyalias', host), port: options.has('hostkeyalias') ? 22 : port },
      checking: hostKeyChecking(settings, get('stricthostkeychecking')),
      files: [
        ...files('userknownhostsfile', ['~/.ssh/known_hosts', '~/.ssh/known_hosts2']),
        ...files('globalknownhostsfile', ['/etc/ssh/ssh_known_hosts', '/etc/ssh/ssh_known_hosts2']),
      ],
      hashNames: isYes(get('hashknownhosts')),
    },
    family: familyOf(get('addressfamily')),
    localAddress: options.get('bindaddress')?.[0],
    connectTimeoutMs:
      Number(args.options.get('connecttimeout')?.[0] ?? settings.connectTimeoutMs / 1000) * 1000,
    keepaliveMs: Number(get('serveraliveinterval', KEEPALIVE_SECONDS)) * 1000,
    keepaliveCount: Number(get('serveralivecountmax', KEEPALIVE_COUNT)),
  };
}

const isYes = (text: string) => ['yes', 'true'].includes(text.toLowerCase());

function familyOf(text: string): 0 | 4 | 6 {
  if (text.toLowerCase() === 'inet') return 4;
  return text.toLowerCase() === 'inet6' ? 6 : 0;
}

function listOf(text: string): string[] {
  return text === '' || text.toLowerCase() === 'none'
    ? []
    : text.split(',').map((each) => each.trim());
}

function commandOf(text: string | undefined, expand: (text: string) => string): string | undefined {
  return text === undefined || text.toLowerCase() === 'none' ? undefined : expand(text);
}

/** A policy other than strict was asked for by name and stands; strict leaves the word to the configuration. */
function hostKeyChecking(
  settings: ConnectionSettings,
  configured: string,
): ConnectionSettings['hostKeyChecking'] {
  if (settings.hostKeyChecking !== 'strict') return settings.hostKeyChecking;
  const words: Readonly<Record<string, ConnectionSettings['hostKeyChecking']>> = {
    no: 'off',
    off: 'off',
    false: 'off',
    'accept-new': 'accept-new',
  };
  return words[configured.toLowerCase()] ?? 'strict';
}

function forbidden(options: SshOptions): Set<string> {
  const switches: readonly (readonly [string, string])[] = [
    ['pubkeyauthentication', 'publickey'],
    ['passwordauthentication', 'password'],
    ['kbdinteractiveauthentication', 'keyboard-interactive'],
  ];
  const off = switches.filter(([keyword]) =>
    ['no', 'false'].includes(options.get(keyword)?.[0]?.toLowerCase() ?? ''),
  );
  const preferred = options.get('preferredauthentications')?.[0]?.split(',');
  const unlisted =
    preferred === undefined ? [] : switches.filter(([, method]) => !preferred.includes(method));
  return new Set([...off, ...unlisted].map(([, method]) => method));
}

function agentSocket(text: string, expand: (text: string) => string): string | undefined {
  if (text.toLowerCase() === 'none') return undefined;
  if (text === 'SSH_AUTH_SOCK') return process.env['SSH_AUTH_SOCK'];
  return text.startsWith('$') ? process.env[text.replaceAll(/[${}]/g, '')] : expand(text);
}

function expandPath(text: string, tokens: Readonly<Record<string, string>>): string {
  const path = text.replace(/^~(?=\/)/, tokens['d'] ?? '~');
  const named = path.replaceAll(
    /\$\{(\w+)\}/g,
    (whole, name: string) => process.env[name] ?? whole,
  );
  return expandTokens(named, tokens);
}
