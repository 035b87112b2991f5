import { sh } from '../../shared/shell.ts';
import { table } from '../../shared/table.ts';
import { type Collector, lines, section } from './collector.ts';

const BY_PROCESS: Readonly<Record<string, string>> = table({
  procd: 'openwrt_init',
  'runit-init': 'runit',
  svscan: 'svc',
  'openrc-init': 'openrc',
});

/** Which program starts services: what process 1 is called, or else what is installed. */
export const serviceManager: Collector = {
  name: 'service_mgr',
  needs: ['platform', 'distribution'],
  script: sh`s init; read -r l </proc/1/comm && printf '%s\\n' "$l"
s init-signs; for p in /run/systemd/system /dev/.run/systemd /dev/.systemd /sbin/openrc /etc/init.d; do [ -e "$p" ] && echo "$p"; done
has initctl && [ -e /etc/init ] && echo upstart; k /sbin/init`,

  parse(sections) {
    const process = (lines(sections, 'init')[0] ?? '').trim();
    const signs = section(sections, 'init-signs');
    const isPlain = process === '' || process === 'init' || process.endsWith('sh');
    return { service_mgr: isPlain ? bySigns(signs) : (BY_PROCESS[process] ?? process) };
  },
};

function bySigns(signs: string): string {
  if (signs.includes('systemd')) return 'systemd';
  if (signs.includes('upstart')) return 'upstart';
  if (signs.includes('/sbin/openrc')) return 'openrc';
  return signs.includes('/etc/init.d') ? 'sysvinit' : 'service';
}

/** The version of systemd, where it manages the host. */
export const systemd: Collector = {
  name: 'systemd',
  script: sh`if has systemctl && [ -d /run/systemd/system ]; then s systemd; systemctl --version; fi`,

  parse(sections) {
    const [first = '', features = ''] = lines(sections, 'systemd');
    const [, version] = /^systemd (\d+)/.exec(first) ?? [];
    return version === undefined ? {} : { systemd: { version: Number(version), features } };
  },
};
