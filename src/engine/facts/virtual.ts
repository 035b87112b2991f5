import { sh } from '../../shared/shell.ts';
import { type Collector, rows, type Sections, section } from './collector.ts';

/** What the host runs in, and what can run in it. */
export const virtual: Collector = {
  name: 'virtual',
  ids: [
    'virtualization_role',
    'virtualization_tech_guest',
    'virtualization_tech_host',
    'virtualization_type',
  ],
  script: sh`s virtual-signs; for p in /.dockerenv /.dockerinit /run/.containerenv /proc/vz /proc/bc /proc/xen /dev/kvm /sys/module/kvm \
/usr/bin/vmware /usr/lib/vmware /usr/bin/VBoxManage /proc/1/root/.dockerenv; do [ -e "$p" ] && echo "$p"; done
f virtual-cgroup /proc/1/cgroup; s virtual-init; tr '\\000' '\\n' </proc/1/environ; v /run/systemd/container
s virtual-dmi; v /sys/devices/virtual/dmi/id/product_name /sys/devices/virtual/dmi/id/sys_vendor \
/sys/devices/virtual/dmi/id/bios_vendor /sys/devices/virtual/dmi/id/product_family /sys/hypervisor/type /proc/xen/capabilities
s virtual-cpu; grep -E -m3 'QEMU|Virtual CPU|vendor_id.*(User Mode Linux|PowerVM|IBM/S390)|model name.*QEMU' /proc/cpuinfo
f virtual-modules /proc/modules`,

  parse(sections) {
    const guests = SIGNS.filter((sign) => sign.shows(sections));
    const [first] = guests;
    const host = hostTechnologies(sections);
    const techs = [...new Set(guests.flatMap(({ tech }) => tech))].sort();
    const common = { virtualization_tech_guest: techs, virtualization_tech_host: host };
    if (first !== undefined) {
      return { ...common, virtualization_role: 'guest', virtualization_type: first.type };
    }
    const [type] = host;
    if (type !== undefined) {
      return { ...common, virtualization_role: 'host', virtualization_type: type };
    }
    return { ...common, virtualization_role: 'NA', virtualization_type: 'NA' };
  },
};

interface Sign {
  readonly type: string;
  readonly tech: readonly string[];
  readonly shows: (sections: Sections) => boolean;
}

/** Containers first: they name the innermost thing. */
const SIGNS: readonly Sign[] = [
  { type: 'docker', tech: ['docker', 'container'], shows: isDocker },
  inside('lxc', (sections) => cgroup(sections, /\/lxc\//) || init(sections, 'lxc')),
  inside('podman', (sections) => init(sections, 'podman') || sign(sections, '/run/.containerenv')),
  inside('containerd', (sections) =>
    cgroup(sections, /\/(cri-)?containerd|kubepods.*cri-containerd/),
  ),
  {
    type: 'container',
    tech: ['container', 'systemd-nspawn'],
    shows: (sections) => init(sections, 'systemd-nspawn'),
  },
  inside('container', (sections) => /^container=./m.test(section(sections, 'virtual-init'))),
  inside('openvz', (sections) => sign(sections, '/proc/vz') && !sign(sections, '/proc/bc')),
  guest('xen', (sections) => sign(sections, '/proc/xen') || dmi(sections, 'type', /^xen/)),
  guest('kvm', isKvm),
  guest('RHEV', (sections) => dmi(sections, 'product_name', /^RHEV Hypervisor/)),
  guest('VMware', (sections) => dmi(sections, 'product_name', /^VMware/)),
  guest('virtualbox', (sections) => dmi(sections, 'bios_vendor', /^innotek GmbH/)),
  guest('VirtualPC', (sections) => dmi(sections, 'sys_vendor', /^Microsoft Corporation/)),
  guest('parallels', (sections) => dmi(sections, 'sys_vendor', /^Parallels/)),
  guest('uml', (sections) => section(sections, 'virtual-cpu').includes('User Mode Linux')),
];

function inside(type: string, shows: Sign['shows']): Sign {
  return { type, tech: ['container', type], shows };
}

function guest(type: string, shows: Sign['shows']): Sign {
  return { type, tech: [type], shows };
}

function isDocker(sections: Sections): boolean {
  return cgroup(sections, /\/docker(-ce)?(\/|-[0-9a-f]+\.scope)/) || sign(sections, '/.docker');
}

function isKvm(sections: Sections): boolean {
  const products =
    /^(KVM|KVM Server|Bochs|AHV|Standard PC|OpenStack|Google Compute|HVM domU|AmazonEC2)/;
  return (
    dmi(sections, 'product_name', products) ||
    dmi(sections, 'sys_vendor', /^(QEMU|KubeVirt|Amazon EC2|Hetzner|DigitalOcean)/) ||
    section(sections, 'virtual-cpu').includes('QEMU')
  );
}

function hostTechnologies(sections: Sections): readonly string[] {
  const modules = section(sections, 'virtual-modules');
  const has = (name: string) => new RegExp(`^${name} `, 'm').test(modules);
  const kvm = has('kvm') || sign(sections, '/dev/kvm');
  return [...(kvm ? ['kvm'] : []), ...(has('vboxdrv') ? ['virtualbox'] : [])];
}

function sign(sections: Sections, path: string): boolean {
  return section(sections, 'virtual-signs').includes(path);
}

function cgroup(sections: Sections, pattern: RegExp): boolean {
  return pattern.test(section(sections, 'virtual-cgroup'));
}

function init(sections: Sections, container: string): boolean {
  return section(sections, 'virtual-init').split('\n').includes(`container=${container}`);
}

function dmi(sections: Sections, name: string, pattern: RegExp): boolean {
  const entry = [...rows(sections, 'virtual-dmi')].find(([path]) => path.endsWith(`/${name}`));
  return entry !== undefined && pattern.test(entry[1]);
}
