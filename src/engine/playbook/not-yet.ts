/** Modules of Ansible that are not built here yet; naming one is "not supported yet", not "unknown". */
const NOT_YET = new Set(
  (
    'apt_key apt_repository assemble async_status cron deb822_repository debconf dnf dnf5 dpkg_selections expect ' +
    'find getent git hostname iptables known_hosts mount_facts package_facts pip replace rpm_key script ' +
    'service_facts set_stats subversion sysvinit uri yum yum_repository archive ini_file ' +
    'synchronize authorized_key mount selinux firewalld ufw timezone locale_gen alternatives pam_limits filesystem ' +
    'parted lvg lvol sudoers xml snap npm apk pacman zypper nmcli k8s k8s_info helm helm_repository k8s_drain k8s_scale'
  ).split(' '),
);

/** Whether Ansible has a module of this name that is not built here yet. */
export function isNotYet(name: string): boolean {
  return NOT_YET.has(name.split('.').at(-1) ?? name);
}
