import { userInfo } from 'node:os';
import type { Settings } from '../config/config-settings.ts';
import type { Become, ConnectionSettings } from '../connection/connection.ts';
import type { ConnectionDefaults, ConnectionReader } from './connection-reader.ts';

/** Whom tasks become, and how; undefined where nobody has to be become. */
export function readBecome(
  reader: ConnectionReader,
  { options, settings }: ConnectionDefaults,
  connection: ConnectionSettings,
): Become | undefined {
  const isWanted = reader.flag(['ansible_become'], 'become') ?? options.become ?? settings.become;
  if (!isWanted) return undefined;
  const method = (
    reader.text(['ansible_become_method'], 'become_method') ??
    options.becomeMethod ??
    settings.becomeMethod
  ).replace(/^.*\./, '');
  // The name of the method's own plugin counts before that of all methods.
  const named = (what: string) => [`ansible_${method}_${what}`, `ansible_become_${what}`];
  const configured = becomeSettings(settings, method);
  const user =
    (reader.text(named('user'), 'become_user') ?? options.becomeUser ?? configured.user) || 'root';
  if (!settings.becomeAllowSameUser && user === loginUser(connection)) return undefined;
  return {
    method,
    user,
    password:
      reader.text([...named('pass'), ...named('password')]) ??
      options.becomePassword ??
      configured.password,
    exe: (reader.text(named('exe'), 'become_exe') ?? configured.exe) || undefined,
    flags: reader.text(named('flags'), 'become_flags') ?? configured.flags,
    ...ownOptions(reader, method, configured),
  };
}

/** What only one of the methods knows. */
function ownOptions(
  reader: ConnectionReader,
  method: string,
  configured: Pick<ReturnType<typeof becomeSettings>, 'chdir' | 'prompts'>,
): Pick<Become, 'chdir' | 'prompts'> {
  if (method === 'sudo') {
    const chdir = reader.text(['ansible_sudo_chdir']) ?? configured.chdir;
    return chdir ? { chdir } : {};
  }
  if (method !== 'su') return {};
  const prompts = reader.list(['ansible_su_prompt_l10n']) ?? configured.prompts;
  return prompts.length > 0 ? { prompts } : {};
}

/** What environment and configuration say for a become method. */
function becomeSettings(settings: Settings, method: string) {
  const { sudoUser, sudoExe, sudoFlags, sudoPass, sudoChdir } = settings;
  const { suUser, suExe, suFlags, suPass, suPromptL10n } = settings;
  const { becomeUser: user, becomeExe: exe, becomeFlags: flags, becomePass: password } = settings;
  const all = { user, exe, flags, password, chdir: sudoChdir, prompts: suPromptL10n };
  if (method === 'sudo')
    return { ...all, user: sudoUser, exe: sudoExe, flags: sudoFlags, password: sudoPass };
  if (method === 'su')
    return { ...all, user: suUser, exe: suExe, flags: suFlags, password: suPass };
  return all;
}

/** Nobody needs to become who they are already. */
function loginUser({ transport, user }: ConnectionSettings): string | undefined {
  return transport === 'local' ? userInfo().username : user;
}
