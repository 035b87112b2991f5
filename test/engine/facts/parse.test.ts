import { expect } from 'chai';
import { cmdline } from '../../../src/engine/facts/cmdline.ts';
import type { Collector } from '../../../src/engine/facts/collector.ts';
import { humanBytes, parseDevices } from '../../../src/engine/facts/devices.ts';
import { distribution } from '../../../src/engine/facts/distribution.ts';
import { dns } from '../../../src/engine/facts/dns.ts';
import { interpolate, parseIni } from '../../../src/engine/facts/ini.ts';
import { parseMounts } from '../../../src/engine/facts/mounts.ts';
import { platform } from '../../../src/engine/facts/platform.ts';
import { parseProcessors } from '../../../src/engine/facts/processor.ts';
import { python } from '../../../src/engine/facts/python.ts';
import { selinux } from '../../../src/engine/facts/security.ts';
import { serviceManager } from '../../../src/engine/facts/service-manager.ts';
import { virtual } from '../../../src/engine/facts/virtual.ts';

const read = (collector: Collector, sections: Record<string, string>) =>
  collector.parse(new Map(Object.entries(sections)), new Map());

interface Release {
  readonly name: string;
  readonly sections: Record<string, string>;
  readonly facts: Record<string, string>;
}

const RELEASES: readonly Release[] = [
  {
    name: 'Ubuntu 24.04',
    sections: {
      'os-release':
        'NAME="Ubuntu"\nID=ubuntu\nID_LIKE=debian\nVERSION_ID="24.04"\nVERSION="24.04 LTS (Noble Numbat)"\nVERSION_CODENAME=noble\n',
      debian: 'trixie/sid\n',
    },
    facts: {
      distribution: 'Ubuntu',
      distribution_version: '24.04',
      distribution_major_version: '24',
      distribution_release: 'noble',
      distribution_file_variety: 'Debian',
      distribution_file_path: '/etc/os-release',
      os_family: 'Debian',
    },
  },
  {
    name: 'Raspberry Pi OS of 32 bits',
    sections: {
      'os-release': 'ID=raspbian\nVERSION_ID="12"\nVERSION="12 (bookworm)"\n',
      debian: '12.5\n',
    },
    facts: {
      distribution: 'Debian',
      distribution_version: '12.5',
      distribution_release: 'bookworm',
    },
  },
  {
    name: 'Rocky Linux',
    sections: {
      'os-release': 'ID="rocky"\nID_LIKE="rhel centos fedora"\nVERSION_ID="9.3"\n',
      redhat: 'Rocky Linux release 9.3 (Blue Onyx)\n',
    },
    facts: {
      distribution: 'Rocky',
      distribution_version: '9.3',
      distribution_major_version: '9',
      distribution_release: 'Blue Onyx',
      os_family: 'RedHat',
    },
  },
  {
    name: 'Alpine',
    sections: { 'os-release': 'ID=alpine\nVERSION_ID=3.20.1\n', alpine: '3.20.1\n' },
    facts: { distribution: 'Alpine', distribution_version: '3.20.1', os_family: 'Alpine' },
  },
  {
    name: 'a distribution that nobody knows',
    sections: { 'os-release': 'ID=homelab\nID_LIKE="ubuntu debian"\nVERSION_ID=7\n' },
    facts: { distribution: 'Homelab', distribution_version: '7', os_family: 'Debian' },
  },
];

describe('facts of a distribution', () => {
  for (const { name, sections, facts } of RELEASES) {
    it(`are those of ${name}`, () => expect(read(distribution, sections)).to.include(facts));
  }
});

describe('facts of processors', () => {
  const pi = ['0', '1', '2', '3'].map(
    (n) => `processor\t: ${n}\nBogoMIPS\t: 108.00\nFeatures\t: fp asimd\n`,
  );

  it('count each processor of a Raspberry Pi as one', () => {
    expect(parseProcessors(pi.join('\n'), '4\n', 'aarch64')).to.deep.equal({
      processor: ['0', '1', '2', '3'],
      processor_count: 4,
      processor_cores: 1,
      processor_threads_per_core: 1,
      processor_vcpus: 4,
      processor_nproc: 4,
    });
  });

  it('count sockets, cores and threads of a PC', () => {
    const cpu = (n: number, socket: number) =>
      `processor\t: ${n}\nvendor_id\t: X\nmodel name\t: Y\nphysical id\t: ${socket}\nsiblings\t: 4\ncpu cores\t: 2\nflags\t: a b\n`;
    const text = [0, 1, 2, 3, 4, 5, 6, 7].map((n) => cpu(n, n >> 2)).join('\n');
    expect(parseProcessors(text, '8', 'x86_64')).to.deep.include({
      processor_count: 2,
      processor_cores: 2,
      processor_threads_per_core: 2,
      processor_vcpus: 8,
      flags: ['a', 'b'],
    });
  });
});

describe('facts of storage', () => {
  it('spell sizes as Ansible does', () => {
    expect([0, 1023, 1024, 31_914_983_424].map(humanBytes)).to.deep.equal([
      '0.00 Bytes',
      '1023.00 Bytes',
      '1.00 KB',
      '29.72 GB',
    ]);
  });

  it('give a disk its partitions, names and holders', () => {
    const { devices, device_links } = parseDevices(
      new Map([
        [
          'blocks',
          'sda\t../devices/pci0000:00/0000:00:07.0/ata1/host0/block/sda\ndm-0\t../devices/virtual/block/dm-0\n',
        ],
        [
          'block-files',
          '/sys/block/sda/size\t2048\n/sys/block/sda/queue/scheduler\tnone [mq-deadline]\n/sys/block/sda/sda1/start\t64\n/sys/block/sda/sda1/size\t1024\n/sys/block/dm-0/dm/name\tvg-root\n/sys/block/dm-0/size\t8\n',
        ],
        ['block-links', '/dev/disk/by-uuid/1234\t../../sda1\n/dev/disk/by-id/ata-X\t../../sda\n'],
        ['block-relations', '/sys/block/sda/sda1/holders/dm-0\n/sys/block/dm-0/slaves/sda1\n'],
        ['lspci', '00:07.0 SATA controller: Example\n'],
      ]),
    ) as Record<string, Record<string, Record<string, unknown>>>; // The shape of these facts.
    expect(devices?.['sda']).to.include({
      size: '1.00 MB',
      sectors: 2048,
      scheduler_mode: 'mq-deadline',
      host: 'SATA controller: Example',
    });
    expect(devices?.['sda']?.['partitions']).to.deep.equal({
      sda1: {
        links: { ids: [], uuids: ['1234'], labels: [], masters: ['dm-0'] },
        start: '64',
        sectors: 1024,
        sectorsize: 512,
        size: '512.00 KB',
        uuid: '1234',
        holders: ['vg-root'],
      },
    });
    expect(device_links?.['masters']).to.deep.equal({ sda1: ['dm-0'] });
  });

  it('leave pseudo file systems out, decode blanks and find bind mounts', () => {
    const mounts = parseMounts(
      new Map([
        [
          'mtab',
          'proc /proc proc rw 0 0\n/dev/sda1 /a\\040b ext4 rw 0 1\nnas:/x /mnt nfs rw 0 0\n',
        ],
        ['mountinfo', '30 1 8:1 /sub /a\\040b rw - ext4 /dev/sda1 rw\n'],
        ['statfs', '4096 4096 100 60 50 20 /a\\040b\n'],
        ['uuids', '/dev/sda1 1234\n'],
      ]),
    );
    expect(mounts).to.deep.equal([
      {
        device: '/dev/sda1',
        mount: '/a b',
        fstype: 'ext4',
        options: 'rw,bind',
        dump: 0,
        passno: 1,
        uuid: '1234',
        size_total: 409600,
        size_available: 245760,
        block_size: 4096,
        block_total: 100,
        block_available: 60,
        block_used: 40,
        inode_total: 50,
        inode_available: 20,
        inode_used: 30,
      },
      {
        device: 'nas:/x',
        mount: '/mnt',
        fstype: 'nfs',
        options: 'rw',
        dump: 0,
        passno: 0,
        uuid: 'N/A',
      },
    ]);
  });
});

describe('facts of the system', () => {
  it('tell of the Python of a host, where there is one', () => {
    const sections = { python: '3.11.2\n3 11 2 final 0\ncpython\n/usr/bin/python3\ntls\n' };
    expect(read(platform, sections)).to.include({ python_version: '3.11.2' });
    expect(read(python, sections)).to.deep.equal({
      python: {
        version: { major: 3, minor: 11, micro: 2, releaselevel: 'final', serial: 0 },
        version_info: [3, 11, 2, 'final', 0],
        executable: '/usr/bin/python3',
        has_sslcontext: true,
        type: 'cpython',
      },
    });
    expect(read(platform, {})).to.include({ python_version: null });
    expect(read(python, {})).to.deep.equal({ python: null });
  });

  it('take the first name with a dot as the full name', () => {
    const sections = {
      kernel: '/proc/sys/kernel/hostname\tnode1\n',
      names: '10.0.0.5 node1 node1.example.com\n',
    };
    expect(read(platform, sections)).to.include({
      hostname: 'node1',
      fqdn: 'node1.example.com',
      domain: 'example.com',
    });
  });

  it('tell a 32-bit userland on a 64-bit kernel', () => {
    expect(read(platform, { machine: 'x86_64\n', bits: '32\n' })).to.include({
      architecture: 'x86_64',
      userspace_architecture: 'i386',
      userspace_bits: '32',
    });
  });

  it('keep every value of a kernel argument that is given twice', () => {
    expect(read(cmdline, { cmdline: 'quiet console=tty0 console=ttyS0 x="a b"\n' })).to.deep.equal({
      cmdline: { quiet: true, console: 'ttyS0', x: 'a b' },
      proc_cmdline: { quiet: true, console: ['tty0', 'ttyS0'], x: 'a b' },
    });
  });

  it('read the resolver’s settings', () => {
    const resolv =
      '# x\nnameserver 1.1.1.1\nnameserver 8.8.8.8\nsearch a b\noptions ndots:2 rotate\n';
    expect(read(dns, { resolv })).to.deep.equal({
      dns: {
        nameservers: ['1.1.1.1', '8.8.8.8'],
        search: ['a', 'b'],
        options: { ndots: '2', rotate: true },
      },
    });
  });

  it('read the state of SELinux', () => {
    const sections = {
      selinux: '/sys/fs/selinux/enforce\t1\n/sys/fs/selinux/policyvers\t33\n',
      'selinux-config': 'SELINUX=permissive\nSELINUXTYPE=targeted\n',
    };
    expect(read(selinux, sections)['selinux']).to.deep.equal({
      status: 'enabled',
      policyvers: 33,
      config_mode: 'permissive',
      mode: 'enforcing',
      type: 'targeted',
    });
  });

  it('name the service manager by process 1, or by what is there', () => {
    const manager = (init: string, signs = '') =>
      read(serviceManager, { init, 'init-signs': signs })['service_mgr'];
    expect(manager('systemd\n')).to.equal('systemd');
    expect(manager('init\n', '/sbin/openrc\n/etc/init.d\n')).to.equal('openrc');
    expect(manager('runit-init\n')).to.equal('runit');
    expect(manager('bash\n', '')).to.equal('service');
  });

  it('tell a virtual machine, a container and a host apart', () => {
    const type = (sections: Record<string, string>) => {
      const { virtualization_type, virtualization_role } = read(virtual, sections);
      return `${virtualization_type} ${virtualization_role}`;
    };
    expect(type({ 'virtual-dmi': '/sys/devices/virtual/dmi/id/sys_vendor\tQEMU\n' })).to.equal(
      'kvm guest',
    );
    expect(type({ 'virtual-init': 'container=lxc\n' })).to.equal('lxc guest');
    expect(type({ 'virtual-modules': 'kvm 1 0\n' })).to.equal('kvm host');
    expect(type({})).to.equal('NA NA');
  });

  it('replace names and percent signs in local facts', () => {
    const values = { x: '1', y: '%(X)s2', z: '%(y)s of 50%%' };
    expect(interpolate(values)).to.deep.equal({ x: '1', y: '12', z: '12 of 50%' });
    for (const wrong of ['100 % sure', '%(nope)s', '%(x)d', '%(x)s']) {
      expect(() => interpolate({ x: wrong }), wrong).to.throw();
    }
  });

  it('read local facts as INI', () => {
    expect(parseIni('# c\n[One]\nKey = a b\nother: 1\n')).to.deep.equal({
      One: { key: 'a b', other: '1' },
    });
    expect(parseIni('garbage\n')).to.equal(undefined);
    expect(parseIni('')).to.deep.equal({});
  });
});
