/** Settings of ansible-core 2.19 that are known and not honoured: those that are warned of, and those without a meaning. */

interface Unsupported {
  /** What holds instead. */
  readonly why: string;
  /** `section.key` of a file, or the name of an environment variable. */
  readonly names: readonly string[];
}

function words(text: string): string[] {
  return text.trim().split(/\s+/);
}

/** Whoever sets one of these is told that it has no effect. */
export const UNSUPPORTED: readonly Unsupported[] = [
  {
    why: 'the output tells what it tells by default',
    names: words(`
      ANSIBLE_ACTION_WARNINGS defaults.action_warnings ANSIBLE_DEBUG defaults.debug
      ANSIBLE_LOAD_CALLBACK_PLUGINS defaults.bin_ansible_callbacks ANSIBLE_LOG_FILTER
      defaults.log_filter ANSIBLE_DISPLAY_ARGS_TO_STDOUT defaults.display_args_to_stdout
      ANSIBLE_DISPLAY_TRACEBACK defaults.display_traceback ANSIBLE_LOCALHOST_WARNING
      defaults.localhost_warning ANSIBLE_LOG_VERBOSITY defaults.log_verbosity
      ANSIBLE_SHOW_CUSTOM_STATS defaults.show_custom_stats ANSIBLE_DISPLAY_FAILED_STDERR
      defaults.display_failed_stderr ANSIBLE_CALLBACK_TREE_DIR callback_tree.directory
    `),
  },
  {
    why: 'templates are evaluated as ansible-core 2.19 does by default',
    names: words(`
      ANSIBLE_ALLOW_BROKEN_CONDITIONALS defaults.allow_broken_conditionals
      ANSIBLE_ALLOW_EMBEDDED_TEMPLATES defaults.allow_embedded_templates
      defaults.allow_unsafe_lookups ANSIBLE_JINJA2_EXTENSIONS defaults.jinja2_extensions
      ANSIBLE_JINJA2_NATIVE defaults.jinja2_native ANSIBLE_NULL_REPRESENTATION
      defaults.null_representation ANSIBLE_STRING_TYPE_FILTERS jinja2.dont_type_filters
    `),
  },
  {
    why: 'plugins written in Python do not run here',
    names: words(`
      ANSIBLE_CONNECTION_PATH persistent_connection.ansible_connection_path
      ANSIBLE_BECOME_PLUGINS defaults.become_plugins ANSIBLE_ACTION_PLUGINS
      defaults.action_plugins ANSIBLE_CACHE_PLUGINS defaults.cache_plugins
      ANSIBLE_CALLBACK_PLUGINS defaults.callback_plugins ANSIBLE_CLICONF_PLUGINS
      defaults.cliconf_plugins ANSIBLE_CONNECTION_PLUGINS defaults.connection_plugins
      ANSIBLE_FILTER_PLUGINS defaults.filter_plugins ANSIBLE_HTTPAPI_PLUGINS
      defaults.httpapi_plugins ANSIBLE_INVENTORY_PLUGINS defaults.inventory_plugins
      ANSIBLE_LOOKUP_PLUGINS defaults.lookup_plugins ANSIBLE_MODULE_UTILS
      defaults.module_utils ANSIBLE_NETCONF_PLUGINS defaults.netconf_plugins
      ANSIBLE_STRATEGY_PLUGINS defaults.strategy_plugins ANSIBLE_TERMINAL_PLUGINS
      defaults.terminal_plugins ANSIBLE_TEST_PLUGINS defaults.test_plugins
      ANSIBLE_VARS_PLUGINS defaults.vars_plugins ANSIBLE_DOC_FRAGMENT_PLUGINS
      defaults.doc_fragment_plugins
    `),
  },
  {
    why: 'each path has a setting of its own',
    names: words(`
      ANSIBLE_HOME defaults.home ANSIBLE_LOCAL_TEMP defaults.local_tmp
    `),
  },
  {
    why: 'collections are read whatever version they ask for',
    names: words(`
      ANSIBLE_COLLECTIONS_ON_ANSIBLE_VERSION_MISMATCH
      defaults.collections_on_ansible_version_mismatch ANSIBLE_COLLECTIONS_SCAN_SYS_PATH
      defaults.collections_scan_sys_path ANSIBLE_VALIDATE_ACTION_GROUP_METADATA
      defaults.validate_action_group_metadata
    `),
  },
  {
    why: 'the output has the colours that it has by default',
    names: words(`
      ANSIBLE_COLOR_CHANGED colors.changed ANSIBLE_COLOR_CONSOLE_PROMPT colors.console_prompt
      ANSIBLE_COLOR_DEBUG colors.debug ANSIBLE_COLOR_DEPRECATE colors.deprecate
      ANSIBLE_COLOR_DIFF_ADD colors.diff_add ANSIBLE_COLOR_DIFF_LINES colors.diff_lines
      ANSIBLE_COLOR_DIFF_REMOVE colors.diff_remove ANSIBLE_COLOR_DOC_CONSTANT
      colors.doc_constant ANSIBLE_COLOR_DOC_DEPRECATED colors.doc_deprecated
      ANSIBLE_COLOR_DOC_LINK colors.doc_link ANSIBLE_COLOR_DOC_MODULE colors.doc_module
      ANSIBLE_COLOR_DOC_PLUGIN colors.doc_plugin ANSIBLE_COLOR_DOC_REFERENCE
      colors.doc_reference ANSIBLE_COLOR_ERROR colors.error ANSIBLE_COLOR_HIGHLIGHT
      colors.highlight ANSIBLE_COLOR_INCLUDED colors.included ANSIBLE_COLOR_OK colors.ok
      ANSIBLE_COLOR_SKIP colors.skip ANSIBLE_COLOR_UNREACHABLE colors.unreachable
      ANSIBLE_COLOR_VERBOSE colors.verbose ANSIBLE_COLOR_WARN colors.warn
    `),
  },
  {
    why: 'tasks do not run in the background',
    names: words(`
      defaults.internal_poll_interval ANSIBLE_POLL_INTERVAL defaults.poll_interval
      ANSIBLE_GALAXY_COLLECTION_IMPORT_POLL_INTERVAL powershell.async_dir ANSIBLE_ASYNC_DIR
      defaults.async_dir
    `),
  },
  {
    why: 'give it on the command line',
    names: words(`
      ANSIBLE_MODULE_ARGS defaults.module_args defaults.module_name ANSIBLE_VAULT_IDENTITY
      defaults.vault_identity ANSIBLE_PLAYBOOK_DIR defaults.playbook_dir
    `),
  },
  {
    why: 'it is the same for all file systems',
    names: words(`
      ANSIBLE_SELINUX_SPECIAL_FS selinux.special_context_filesystems
    `),
  },
  {
    why: 'su is chosen with become_method',
    names: words(`
      ANSIBLE_SU defaults.su
    `),
  },
  {
    why: 'there is no debugger; --step stops before each task',
    names: words(`
      ANSIBLE_ENABLE_TASK_DEBUGGER defaults.enable_task_debugger
      ANSIBLE_TASK_DEBUGGER_IGNORE_ERRORS defaults.task_debugger_ignore_errors
    `),
  },
  {
    why: 'facts are gathered by setup',
    names: words(`
      ANSIBLE_FACTS_MODULES defaults.facts_modules
    `),
  },
  {
    why: 'a keyword that does not exist is always an error',
    names: words(`
      ANSIBLE_INVALID_TASK_ATTRIBUTE_FAILED defaults.invalid_task_attribute_failed
    `),
  },
  {
    why: 'inventories are read as Ansible does by default',
    names: words(`
      ANSIBLE_INVENTORY_ENABLED inventory.enable_plugins ANSIBLE_INVENTORY_IGNORE_REGEX
      defaults.inventory_ignore_patterns inventory.ignore_patterns
      ANSIBLE_INVENTORY_UNPARSED_WARNING inventory.inventory_unparsed_warning
      ANSIBLE_YAML_FILENAME_EXT defaults.yaml_valid_extensions
      ANSIBLE_INVENTORY_PLUGIN_SCRIPT_STDERR inventory_plugin_script.always_show_stderr
      ANSIBLE_INVENTORY_PLUGIN_EXTS inventory_plugin_yaml.yaml_valid_extensions
    `),
  },
  {
    why: 'give --export',
    names: words(`
      ANSIBLE_INVENTORY_EXPORT inventory.export
    `),
  },
  {
    why: 'the settings of ssh hold for every connection',
    names: words(`
      ANSIBLE_PARAMIKO_HOST_KEY_AUTO_ADD paramiko_connection.host_key_auto_add
      ANSIBLE_PARAMIKO_LOOK_FOR_KEYS paramiko_connection.look_for_keys
      ANSIBLE_PARAMIKO_BANNER_TIMEOUT paramiko_connection.banner_timeout
      ANSIBLE_PARAMIKO_HOST_KEY_CHECKING paramiko_connection.host_key_checking
      ANSIBLE_REMOTE_PARAMIKO_PORT paramiko_connection.remote_port
      ANSIBLE_PARAMIKO_PRIVATE_KEY_FILE paramiko_connection.private_key_file
      ANSIBLE_PARAMIKO_PROXY_COMMAND paramiko_connection.proxy_command ANSIBLE_PARAMIKO_PTY
      paramiko_connection.pty ANSIBLE_PARAMIKO_RECORD_HOST_KEYS
      paramiko_connection.record_host_keys ANSIBLE_PARAMIKO_REMOTE_USER
      paramiko_connection.remote_user ANSIBLE_PARAMIKO_TIMEOUT paramiko_connection.timeout
      ANSIBLE_USE_PERSISTENT_CONNECTIONS defaults.use_persistent_connections
      ANSIBLE_PARAMIKO_USE_RSA_SHA2_ALGORITHMS paramiko_connection.use_rsa_sha2_algorithms
    `),
  },
  {
    why: 'no module can be taken away',
    names: words(`
      defaults.plugin_filters_cfg
    `),
  },
  {
    why: 'group_vars and host_vars are read as Ansible does by default',
    names: words(`
      ANSIBLE_RUN_VARS_PLUGINS defaults.run_vars_plugins ANSIBLE_VARS_ENABLED
      defaults.vars_plugins_enabled ANSIBLE_PRECEDENCE defaults.precedence
      ANSIBLE_VARS_PLUGIN_STAGE vars_host_group_vars.stage
    `),
  },
  {
    why: 'an SSH agent is used where SSH_AUTH_SOCK names one',
    names: words(`
      ANSIBLE_SSH_AGENT connection.ssh_agent ANSIBLE_SSH_AGENT_EXECUTABLE
      connection.ssh_agent_executable ANSIBLE_SSH_AGENT_KEY_LIFETIME
      connection.ssh_agent_key_lifetime
    `),
  },
  {
    why: 'the become method runas is for Windows',
    names: words(`
      ANSIBLE_RUNAS_FLAGS runas_become_plugin.flags ANSIBLE_RUNAS_PASS
      runas_become_plugin.password ANSIBLE_RUNAS_USER runas_become_plugin.user
    `),
  },
  {
    why: 'connections have no such choice here',
    names: words(`
      ANSIBLE_SSH_PASSWORD_MECHANISM ssh_connection.password_mechanism ANSIBLE_PKCS11_PROVIDER
      ssh_connection.pkcs11_provider ANSIBLE_SSHPASS_PROMPT ssh_connection.sshpass_prompt
      ANSIBLE_SSH_USETTY ssh_connection.usetty ANSIBLE_SSH_VERBOSITY ssh_connection.verbosity
    `),
  },
  {
    why: 'say it with ansible_ssh_private_key_file and ansible_ssh_private_key_passphrase',
    names: words(`
      ANSIBLE_PRIVATE_KEY ANSIBLE_PRIVATE_KEY_PASSPHRASE
    `),
  },
  {
    why: 'say it with the options of the lookup',
    names: words(`
      ANSIBLE_LOOKUP_URL_CA_PATH url_lookup.ca_path ANSIBLE_LOOKUP_URL_CIPHERS
      url_lookup.ciphers ANSIBLE_LOOKUP_URL_FOLLOW_REDIRECTS url_lookup.follow_redirects
      ANSIBLE_LOOKUP_URL_FORCE url_lookup.force ANSIBLE_LOOKUP_URL_FORCE_BASIC_AUTH
      url_lookup.force_basic_auth ANSIBLE_LOOKUP_URL_AGENT url_lookup.agent
      ANSIBLE_LOOKUP_URL_TIMEOUT url_lookup.timeout ANSIBLE_LOOKUP_URL_UNIX_SOCKET
      url_lookup.unix_socket ANSIBLE_LOOKUP_URL_UNREDIR_HEADERS
      url_lookup.unredirected_headers ANSIBLE_LOOKUP_URL_USE_GSSAPI url_lookup.use_gssapi
      ANSIBLE_LOOKUP_URL_USE_NETRC url_lookup.use_netrc
    `),
  },
];

/**
 * Settings of what does not exist here: Python and its files on hosts, network devices, Windows, Galaxy, cows; and
 * those that other parts read for themselves (docs/differences.md, `idle-settings`).
 */
export const MEANINGLESS: ReadonlySet<string> = new Set(
  words(`
    ANSIBLE_AGNOSTIC_BECOME_PROMPT privilege_escalation.agnostic_become_prompt
    ANSIBLE_COW_ACCEPTLIST defaults.cowsay_enabled_stencils ANSIBLE_COW_PATH
    defaults.cowpath ANSIBLE_COW_SELECTION defaults.cow_selection NO_COLOR ANSIBLE_NOCOWS
    defaults.nocows ANSIBLE_PIPELINING connection.pipelining defaults.pipelining
    ANSIBLE_KEEP_REMOTE_FILES defaults.keep_remote_files ANSIBLE_LIBVIRT_LXC_NOSECLABEL
    selinux.libvirt_lxc_noseclabel defaults.module_compression ANSIBLE_NO_TARGET_SYSLOG
    defaults.no_target_syslog ANSIBLE_SYSLOG_FACILITY defaults.syslog_facility
    ANSIBLE_DEVEL_WARNING defaults.devel_warning defaults.docsite_root_url ANSIBLE_EDITOR
    EDITOR defaults.editor ANSIBLE_GALAXY_CACHE_DIR galaxy.cache_dir
    ANSIBLE_GALAXY_COLLECTIONS_PATH_WARNING galaxy.collections_path_warning
    ANSIBLE_GALAXY_COLLECTION_IMPORT_POLL_FACTOR ANSIBLE_GALAXY_COLLECTION_SKELETON
    galaxy.collection_skeleton ANSIBLE_GALAXY_COLLECTION_SKELETON_IGNORE
    galaxy.collection_skeleton_ignore ANSIBLE_GALAXY_DISABLE_GPG_VERIFY
    galaxy.disable_gpg_verify ANSIBLE_GALAXY_DISPLAY_PROGRESS galaxy.display_progress
    ANSIBLE_GALAXY_GPG_KEYRING galaxy.gpg_keyring ANSIBLE_GALAXY_IGNORE galaxy.ignore_certs
    ANSIBLE_GALAXY_IGNORE_SIGNATURE_STATUS_CODES galaxy.ignore_signature_status_codes
    ANSIBLE_GALAXY_REQUIRED_VALID_SIGNATURE_COUNT galaxy.required_valid_signature_count
    ANSIBLE_GALAXY_ROLE_SKELETON galaxy.role_skeleton ANSIBLE_GALAXY_ROLE_SKELETON_IGNORE
    galaxy.role_skeleton_ignore ANSIBLE_GALAXY_SERVER galaxy.server
    ANSIBLE_GALAXY_SERVER_LIST galaxy.server_list ANSIBLE_GALAXY_SERVER_TIMEOUT
    galaxy.server_timeout ANSIBLE_GALAXY_TOKEN_PATH galaxy.token_path
    ANSIBLE_MODULE_IGNORE_EXTS defaults.module_ignore_exts
    ANSIBLE_MODULE_STRICT_UTF8_RESPONSE defaults.module_strict_utf8_response
    ANSIBLE_NETCONF_SSH_CONFIG netconf_connection.ssh_config ANSIBLE_NETWORK_GROUP_MODULES
    defaults.network_group_modules ANSIBLE_OLD_PLUGIN_CACHE_CLEAR
    defaults.old_plugin_cache_clear ANSIBLE_PAGER PAGER defaults.pager
    ANSIBLE_PERSISTENT_COMMAND_TIMEOUT persistent_connection.command_timeout
    ANSIBLE_PERSISTENT_CONNECT_RETRY_TIMEOUT persistent_connection.connect_retry_timeout
    ANSIBLE_PERSISTENT_CONNECT_TIMEOUT persistent_connection.connect_timeout
    ANSIBLE_PERSISTENT_CONTROL_PATH_DIR persistent_connection.control_path_dir
    ANSIBLE_PYTHON_MODULE_RLIMIT_NOFILE defaults.python_module_rlimit_nofile
    ANSIBLE_TARGET_LOG_INFO defaults.target_log_info ANSIBLE_WIN_ASYNC_STARTUP_TIMEOUT
    defaults.win_async_startup_timeout ANSIBLE_WORKER_SHUTDOWN_POLL_COUNT
    ANSIBLE_WORKER_SHUTDOWN_POLL_DELAY JUNIT_FAIL_ON_CHANGE JUNIT_FAIL_ON_IGNORE
    JUNIT_HIDE_TASK_ARGUMENTS JUNIT_INCLUDE_SETUP_TASKS_IN_REPORT JUNIT_OUTPUT_DIR
    JUNIT_REPLACE_OUT_OF_TREE_PATH JUNIT_TASK_CLASS JUNIT_TASK_RELATIVE_PATH
    JUNIT_TEST_CASE_PREFIX ANSIBLE_SSH_CONTROL_PATH ssh_connection.control_path
    ANSIBLE_SSH_CONTROL_PATH_DIR ssh_connection.control_path_dir ANSIBLE_SSH_PIPELINING
    ssh_connection.pipelining ANSIBLE_SCP_EXECUTABLE ssh_connection.scp_executable
    ANSIBLE_SCP_EXTRA_ARGS ssh_connection.scp_extra_args ANSIBLE_SFTP_BATCH_MODE
    ssh_connection.sftp_batch_mode ANSIBLE_SFTP_EXECUTABLE ssh_connection.sftp_executable
    ANSIBLE_SFTP_EXTRA_ARGS ssh_connection.sftp_extra_args ANSIBLE_SSH_TRANSFER_METHOD
    ssh_connection.transfer_method winrm.kinit_env_vars powershell.remote_tmp
    ANSIBLE_ADMIN_USERS defaults.admin_users ANSIBLE_COMMON_REMOTE_GROUP
    defaults.common_remote_group ANSIBLE_SYSTEM_TMPDIRS defaults.system_tmpdirs
    ANSIBLE_SHELL_ALLOW_WORLD_READABLE_TEMP defaults.allow_world_readable_tmpfiles
  `),
);
