import { sh } from '../../shared/shell.ts';
import { type Collector, lines, rows, section } from './collector.ts';
import { PYTHON_SCRIPT } from './python.ts';

/** Names of the machine and its kernel. */
export const platform: Collector = {
  name: 'platform',
  ids: [
    'architecture',
    'kernel',
    'kernel_version',
    'machine',
    'machine_id',
    'python_version',
    'system',
  ],

  script: sh`s kernel; v /proc/sys/kernel/ostype /proc/sys/kernel/hostname /proc/sys/kernel/osrelease /proc/sys/kernel/version
s machine; uname -m
s bits; getconf LONG_BIT || od -An -tu1 -j4 -N1 /proc/self/exe
s machine-id; v /var/lib/dbus/machine-id /etc/machine-id
s names; n=$(uname -n)
if has getent; then a=$(getent ahosts "$n"); a=\${a%%[!0-9a-fA-F.:]*}; getent hosts "\${a:-$n}"; else printf '\\055 '; hostname -f; fi
${PYTHON_SCRIPT}`,

  parse(sections) {
    const kernel = rows(sections, 'kernel');
    const of = (name: string) => kernel.get(`/proc/sys/kernel/${name}`) ?? '';
    const machine = section(sections, 'machine').trim();
    const nodename = of('hostname');
    const fqdn = fullName(section(sections, 'names'), nodename);
    return {
      system: of('ostype'),
      kernel: of('osrelease'),
      kernel_version: of('version'),
      machine,
      python_version: lines(sections, 'python')[0] ?? null,
      nodename,
      hostname: nodename.split('.')[0],
      fqdn,
      domain: fqdn.split('.').slice(1).join('.'),
      ...architecture(machine, userspaceBits(lines(sections, 'bits')[0])),
      machine_id: [...rows(sections, 'machine-id').values()][0],
    };
  },
};

/** The first name with a dot that the resolver gives to the address of the host, else the first one. */
function fullName(answer: string, nodename: string): string {
  const names = (answer.split('\n')[0] ?? '').trim().split(/\s+/).slice(1);
  return names.find((name) => name.includes('.')) ?? names[0] ?? nodename;
}

/** The ELF class of a program is 1 for 32 bits and 2 for 64. */
function userspaceBits(printed = '64'): string {
  const number = printed.trim();
  return { '1': '32', '2': '64' }[number] ?? number;
}

function architecture(machine: string, bits: string): Record<string, string> {
  const userspace_bits = bits;
  const isIntel = machine === 'x86_64' || /^i[3456]86$/.test(machine);
  if (!isIntel) return { architecture: machine, userspace_bits, userspace_architecture: machine };
  return {
    architecture: machine === 'x86_64' ? machine : 'i386',
    userspace_bits,
    userspace_architecture: bits === '64' ? 'x86_64' : 'i386',
  };
}
