import { choice, flag, integer, list, path, paths, type Setting, text } from './config-value.ts';

/** Settings that decide nothing here (docs/differences.md, `idle-settings`): the config lookup gives them all the same. */
const IDLE = {
  retryFilesEnabled: flag('defaults.retry_files_enabled', 'RETRY_FILES_ENABLED', false),
  retryFilesSavePath: path('defaults.retry_files_save_path', 'RETRY_FILES_SAVE_PATH'),
  interpreterPython: text('defaults.interpreter_python', 'PYTHON_INTERPRETER', 'auto'),
  remoteTmp: text('defaults.remote_tmp', ['REMOTE_TMP', 'REMOTE_TEMP'], '~/.ansible/tmp'),
  errorOnUndefinedVars: flag('defaults.error_on_undefined_vars', 'ERROR_ON_UNDEFINED_VARS', true),
  privateRoleVars: flag('defaults.private_role_vars', 'PRIVATE_ROLE_VARS', false),
  playbookVarsRoot: choice('defaults.playbook_vars_root', 'PLAYBOOK_VARS_ROOT', [
    'top',
    'bottom',
    'all',
  ]),
  deprecationWarnings: flag('defaults.deprecation_warnings', 'DEPRECATION_WARNINGS', true),
  systemWarnings: flag('defaults.system_warnings', 'SYSTEM_WARNINGS', true),
  inventoryUnparsedIsFailed: flag(
    'inventory.unparsed_is_failed',
    'INVENTORY_UNPARSED_FAILED',
    false,
  ),
  inventoryAnyUnparsedIsFailed: flag(
    'inventory.any_unparsed_is_failed',
    'INVENTORY_ANY_UNPARSED_IS_FAILED',
    false,
  ),
} as const;

/** A setting of one become method: what its own plugin is told counts before what all methods are told. */
const becoming = (method: 'sudo' | 'su', own: string, all: string) =>
  text(
    [`${method}_become_plugin.${own}`, `privilege_escalation.become_${all}`],
    [`${method}_${all}`.toUpperCase(), `BECOME_${all.toUpperCase()}`],
  );

/** Options of the become plugins sudo and su. */
const BECOME = {
  sudoUser: becoming('sudo', 'user', 'user'),
  sudoExe: becoming('sudo', 'executable', 'exe'),
  sudoFlags: becoming('sudo', 'flags', 'flags'),
  sudoPass: text('sudo_become_plugin.password', ['SUDO_PASS', 'BECOME_PASS']),
  sudoChdir: text('sudo_become_plugin.chdir', 'SUDO_CHDIR'),
  suUser: becoming('su', 'user', 'user'),
  suExe: becoming('su', 'executable', 'exe'),
  suFlags: becoming('su', 'flags', 'flags'),
  suPass: text('su_become_plugin.password', ['SU_PASS', 'BECOME_PASS']),
  suPromptL10n: list('su_become_plugin.localized_prompts', 'SU_PROMPT_L10N'),
} as const;

/** Every setting that is honoured, with Ansible's names and defaults. Others are in `other-settings.ts`. */
export const SETTINGS = {
  ...IDLE,
  inventory: paths('defaults.inventory', 'INVENTORY', ['/etc/ansible/hosts'], ','),
  forks: integer('defaults.forks', 'FORKS', 5),
  timeoutSeconds: integer(
    ['ssh_connection.timeout', 'defaults.timeout'],
    ['SSH_TIMEOUT', 'TIMEOUT'],
    10,
  ),
  taskTimeoutSeconds: integer('defaults.task_timeout', 'TASK_TIMEOUT', 0),
  remoteUser: text('defaults.remote_user', 'REMOTE_USER'),
  remotePort: integer('defaults.remote_port', ['REMOTE_PORT', 'SSH_PORT']),
  privateKeyFile: path('defaults.private_key_file', 'PRIVATE_KEY_FILE'),
  transport: text('defaults.transport', 'TRANSPORT', 'ssh'),
  executable: text('defaults.executable', 'EXECUTABLE', '/bin/sh'),
  rolesPath: paths('defaults.roles_path', 'ROLES_PATH', [
    '~/.ansible/roles',
    '/usr/share/ansible/roles',
    '/etc/ansible/roles',
  ]),
  collectionsPath: paths(
    'defaults.collections_path',
    ['COLLECTIONS_PATH', 'COLLECTIONS_PATHS'],
    ['~/.ansible/collections', '/usr/share/ansible/collections'],
  ),
  library: paths('defaults.library', 'LIBRARY'),
  gathering: choice('defaults.gathering', 'GATHERING', ['implicit', 'explicit', 'smart']),
  factCaching: text('defaults.fact_caching', 'CACHE_PLUGIN', 'memory'),
  factCachingConnection: path('defaults.fact_caching_connection', 'CACHE_PLUGIN_CONNECTION'),
  factCachingPrefix: text('defaults.fact_caching_prefix', 'CACHE_PLUGIN_PREFIX', ''),
  factCachingTimeout: integer('defaults.fact_caching_timeout', 'CACHE_PLUGIN_TIMEOUT', 86_400),
  hostKeyChecking: flag(
    ['ssh_connection.host_key_checking', 'defaults.host_key_checking'],
    ['SSH_HOST_KEY_CHECKING', 'HOST_KEY_CHECKING'],
    true,
  ),
  stdoutCallback: text('defaults.stdout_callback', 'STDOUT_CALLBACK', 'default'),
  callbacksEnabled: list(
    ['defaults.callbacks_enabled', 'defaults.callback_whitelist'],
    ['CALLBACKS_ENABLED', 'CALLBACK_WHITELIST'],
  ),
  callbackResultFormat: choice('defaults.callback_result_format', 'CALLBACK_RESULT_FORMAT', [
    'json',
    'yaml',
  ]),
  callbackFormatPretty: flag('defaults.callback_format_pretty', 'CALLBACK_FORMAT_PRETTY'),
  displaySkippedHosts: flag('defaults.display_skipped_hosts', 'DISPLAY_SKIPPED_HOSTS', true),
  displayOkHosts: flag('defaults.display_ok_hosts', 'DISPLAY_OK_HOSTS', true),
  checkModeMarkers: flag('defaults.check_mode_markers', 'CHECK_MODE_MARKERS', false),
  showPerHostStart: flag('defaults.show_per_host_start', 'SHOW_PER_HOST_START', false),
  showTaskPathOnFailure: flag(
    'defaults.show_task_path_on_failure',
    'SHOW_TASK_PATH_ON_FAILURE',
    false,
  ),
  strategy: text('defaults.strategy', 'STRATEGY', 'linear'),
  anyErrorsFatal: flag('defaults.any_errors_fatal', 'ANY_ERRORS_FATAL', false),
  forceHandlers: flag('defaults.force_handlers', 'FORCE_HANDLERS', false),
  errorOnMissingHandler: flag(
    'defaults.error_on_missing_handler',
    'ERROR_ON_MISSING_HANDLER',
    true,
  ),
  hashBehaviour: choice('defaults.hash_behaviour', 'HASH_BEHAVIOUR', ['replace', 'merge']),
  collectionFilters: flag('defaults.collection_filters', 'COLLECTION_FILTERS', true),
  duplicateDictKey: choice('defaults.duplicate_dict_key', 'DUPLICATE_YAML_DICT_KEY', [
    'warn',
    'error',
    'ignore',
  ]),
  injectFactsAsVars: flag('defaults.inject_facts_as_vars', 'INJECT_FACT_VARS', true),
  forceValidGroupNames: choice(
    'defaults.force_valid_group_names',
    'TRANSFORM_INVALID_GROUP_CHARS',
    ['never', 'ignore', 'silently', 'always'],
  ),
  vaultPasswordFile: path('defaults.vault_password_file', 'VAULT_PASSWORD_FILE'),
  vaultIdentityList: list('defaults.vault_identity_list', 'VAULT_IDENTITY_LIST'),
  vaultIdMatch: flag('defaults.vault_id_match', 'VAULT_ID_MATCH', false),
  vaultEncryptIdentity: text('defaults.vault_encrypt_identity', 'VAULT_ENCRYPT_IDENTITY'),
  vaultEncryptSalt: text('defaults.vault_encrypt_salt', 'VAULT_ENCRYPT_SALT'),
  askVaultPass: flag('defaults.ask_vault_pass', 'ASK_VAULT_PASS', false),
  askPass: flag('defaults.ask_pass', 'ASK_PASS', false),
  becomePasswordFile: path('defaults.become_password_file', 'BECOME_PASSWORD_FILE'),
  connectionPasswordFile: path('defaults.connection_password_file', 'CONNECTION_PASSWORD_FILE'),
  logPath: path('defaults.log_path', 'LOG_PATH'),
  noLog: flag('defaults.no_log', 'NO_LOG', false),
  maxDiffSizeBytes: integer('defaults.max_diff_size', 'MAX_DIFF_SIZE', 104_448),
  nocolor: flag('defaults.nocolor', 'NOCOLOR', false),
  forceColor: flag('defaults.force_color', 'FORCE_COLOR', false),
  verboseToStderr: flag('defaults.verbose_to_stderr', 'VERBOSE_TO_STDERR', false),
  verbosity: integer('defaults.verbosity', 'VERBOSITY', 0),
  ansibleManaged: text('defaults.ansible_managed', 'MANAGED_STR', 'Ansible managed'),
  become: flag('privilege_escalation.become', 'BECOME', false),
  becomeMethod: text('privilege_escalation.become_method', 'BECOME_METHOD', 'sudo'),
  becomeUser: text('privilege_escalation.become_user', 'BECOME_USER'),
  becomeExe: text('privilege_escalation.become_exe', 'BECOME_EXE'),
  becomeFlags: text('privilege_escalation.become_flags', 'BECOME_FLAGS'),
  becomeAskPass: flag('privilege_escalation.become_ask_pass', 'BECOME_ASK_PASS', false),
  becomeAllowSameUser: flag(
    'privilege_escalation.become_allow_same_user',
    'BECOME_ALLOW_SAME_USER',
    false,
  ),
  becomePass: text([], 'BECOME_PASS'),
  ...BECOME,
  sshArgs: text('ssh_connection.ssh_args', 'SSH_ARGS'),
  sshCommonArgs: text('ssh_connection.ssh_common_args', 'SSH_COMMON_ARGS'),
  sshExtraArgs: text('ssh_connection.ssh_extra_args', 'SSH_EXTRA_ARGS'),
  sshExecutable: text('ssh_connection.ssh_executable', 'SSH_EXECUTABLE'),
  sshRetries: integer(['ssh_connection.retries', 'connection.retries'], 'SSH_RETRIES', 0),
  inventoryIgnoreExtensions: list(
    ['inventory.ignore_extensions', 'defaults.inventory_ignore_extensions'],
    'INVENTORY_IGNORE',
    '.pyc .pyo .swp .bak ~ .rpm .md .txt .rst .orig .cfg .retry'.split(' '),
  ),
  inventoryUseExtraVars: flag(
    'inventory_plugins.use_extra_vars',
    'INVENTORY_USE_EXTRA_VARS',
    false,
  ),
  hostPatternMismatch: choice('inventory.host_pattern_mismatch', 'HOST_PATTERN_MISMATCH', [
    'warning',
    'error',
    'ignore',
  ]),
  diffAlways: flag('diff.always', 'DIFF_ALWAYS', false),
  diffContextLines: integer('diff.context', 'DIFF_CONTEXT', 3),
  runTags: list('tags.run', 'RUN_TAGS'),
  skipTags: list('tags.skip', 'SKIP_TAGS'),
} as const;

type SettingsTable = typeof SETTINGS;

/** The name of a setting. */
export type SettingName = keyof SettingsTable;

/** Every setting with its type. */
export type Settings = {
  readonly [Name in SettingName]: SettingsTable[Name] extends Setting<infer T> ? T : never;
};
