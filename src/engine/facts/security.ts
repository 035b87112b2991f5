import { sh } from '../../shared/shell.ts';
import { assignments, type Collector, lines, rows, section } from './collector.ts';

/** Whether AppArmor is in the kernel. */
export const apparmor: Collector = {
  name: 'apparmor',
  script: sh`[ -d /sys/kernel/security/apparmor ] && s apparmor`,
  parse: (sections) => ({
    apparmor: { status: sections.has('apparmor') ? 'enabled' : 'disabled' },
  }),
};

/** Capabilities of the user's processes. */
export const capabilities: Collector = {
  name: 'caps',
  ids: ['system_capabilities', 'system_capabilities_enforced'],
  script: sh`has capsh && s caps && capsh --print`,

  parse(sections) {
    if (!sections.has('caps')) {
      return { system_capabilities: 'N/A', system_capabilities_enforced: 'N/A' };
    }
    const current = lines(sections, 'caps').find((line) => line.startsWith('Current:')) ?? '';
    const [, text = ''] = current.split('=');
    if (text === 'ep') return { system_capabilities: [], system_capabilities_enforced: 'False' };
    return {
      system_capabilities: text.split(',').map((each) => each.trim()),
      system_capabilities_enforced: 'True',
    };
  },
};

/** Whether the kernel is in FIPS mode. */
export const fips: Collector = {
  name: 'fips',
  script: sh`s fips; v /proc/sys/crypto/fips_enabled`,
  parse: (sections) => ({ fips: [...rows(sections, 'fips').values()][0] === '1' }),
};

/** The state of SELinux, read from the kernel; Python's bindings are not needed. */
export const selinux: Collector = {
  name: 'selinux',
  script: sh`s selinux; v /sys/fs/selinux/enforce /sys/fs/selinux/policyvers; f selinux-config /etc/selinux/config`,

  parse(sections) {
    const kernel = rows(sections, 'selinux');
    const config = assignments(section(sections, 'selinux-config'));
    const enforce = kernel.get('/sys/fs/selinux/enforce');
    if (enforce === undefined) {
      return { selinux_python_present: true, selinux: { status: 'disabled' } };
    }
    return {
      selinux_python_present: true,
      selinux: {
        status: 'enabled',
        policyvers: Number(kernel.get('/sys/fs/selinux/policyvers') ?? 0),
        config_mode: config.get('SELINUX') ?? 'unknown',
        mode: enforce === '1' ? 'enforcing' : 'permissive',
        type: config.get('SELINUXTYPE') ?? 'unknown',
      },
    };
  },
};
