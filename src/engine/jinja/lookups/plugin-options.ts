import { table } from '../../../shared/table.ts';
import type { Val } from '../objects.ts';

/** An option of a plugin: the variables that set it, the first first, then a setting, then a value. */
export interface PluginOption {
  readonly variables: readonly string[];
  readonly setting?: string;
  readonly fallback: Val;
}

/** What `plugin_type` may be, as in Ansible. */
export const PLUGIN_TYPES: readonly string[] =
  'become cache callback cliconf connection httpapi inventory lookup netconf shell vars'.split(' ');

type OptionRow = readonly [variables: string, setting?: string, fallback?: Val];
type OptionRows = Readonly<Record<string, OptionRow>>;

const SSH: OptionRows = table({
  host: ['ansible_ssh_host ansible_host inventory_hostname'],
  remote_user: ['ansible_ssh_user ansible_user', 'DEFAULT_REMOTE_USER'],
  port: ['ansible_ssh_port ansible_port', 'DEFAULT_REMOTE_PORT'],
  password: ['ansible_ssh_password ansible_ssh_pass ansible_password'],
  private_key_file: [
    'ansible_ssh_private_key_file ansible_private_key_file',
    'DEFAULT_PRIVATE_KEY_FILE',
  ],
  ssh_args: ['ansible_ssh_args', 'SSH_ARGS', '-C -o ControlMaster=auto -o ControlPersist=60s'],
  ssh_common_args: ['ansible_ssh_common_args', 'SSH_COMMON_ARGS', ''],
  ssh_extra_args: ['ansible_ssh_extra_args', 'SSH_EXTRA_ARGS', ''],
  ssh_executable: ['ansible_ssh_executable', 'SSH_EXECUTABLE', 'ssh'],
  timeout: ['ansible_ssh_timeout ansible_timeout', 'DEFAULT_TIMEOUT', 10],
  reconnection_retries: ['ansible_ssh_retries', 'SSH_RETRIES', 0],
  host_key_checking: [
    'ansible_host_key_checking ansible_ssh_host_key_checking',
    'HOST_KEY_CHECKING',
    true,
  ],
});

const become = (method: string): OptionRows => ({
  become_user: [`ansible_${method}_user ansible_become_user`, `${method}_user`, 'root'],
  become_exe: [`ansible_${method}_exe ansible_become_exe`, `${method}_exe`, method],
  become_flags: [
    `ansible_${method}_flags ansible_become_flags`,
    `${method}_flags`,
    method === 'sudo' ? '-H -S -n' : '',
  ],
  become_pass: [
    `ansible_${method}_pass ansible_become_pass ansible_become_password`,
    `${method}_pass`,
  ],
});

const SHELL: OptionRows = table({
  remote_tmp: ['ansible_remote_tmp', 'DEFAULT_REMOTE_TMP', '~/.ansible/tmp'],
});

/** The options that the config lookup knows, by `TYPE NAME` of their plugin and then by name. */
export const PLUGIN_OPTIONS: ReadonlyMap<string, ReadonlyMap<string, PluginOption>> = new Map([
  ['connection ssh', options(SSH)],
  ['become sudo', options({ ...become('sudo'), sudo_chdir: ['ansible_sudo_chdir', 'sudo_chdir'] })],
  [
    'become su',
    options({ ...become('su'), prompt_l10n: ['ansible_su_prompt_l10n', 'su_prompt_l10n', []] }),
  ],
  ['shell sh', options(SHELL)],
]);

function options(rows: OptionRows): ReadonlyMap<string, PluginOption> {
  return new Map(
    Object.entries(rows).map(([name, [variables, setting, fallback = null]]) => [
      name,
      { variables: variables.split(' '), ...(setting !== undefined && { setting }), fallback },
    ]),
  );
}
