import { stringify } from 'yaml';

/** The same thirty states said to each engine. Every host has a folder of its own, so that hosts may share a node. */

const DIRECTORIES = Array.from({ length: 10 }, (_, i) => `d${i}`);
const FILES = Array.from({ length: 10 }, (_, i) => `file${i}`);
const LINES = Array.from({ length: 8 }, (_, i) => `option_${i}=value ${i}`);

const content = (name: string) => `# ${name}\n${'some text that is compared\n'.repeat(20)}`;

/** A play of 30 tasks for tsprov and Ansible. */
export function playbook(): string {
  const base = '/tmp/bench/{{ inventory_hostname }}';
  const tasks = [
    ...DIRECTORIES.map((name) => ({
      file: { path: `${base}/${name}`, state: 'directory', mode: '0755' },
    })),
    ...FILES.map((name) => ({
      copy: { content: content(name), dest: `${base}/d0/${name}`, mode: '0644' },
    })),
    ...LINES.map((line) => ({
      lineinfile: {
        path: `${base}/d1/conf`,
        line,
        regexp: `^${line.split('=')[0]}=`,
        create: true,
        mode: '0644',
      },
    })),
    { service: { name: 'ssh', state: 'started', enabled: true } },
    { user: { name: 'daemon', shell: '/usr/sbin/nologin' } },
  ];
  return stringify([{ hosts: 'all', gather_facts: false, tasks }]);
}

/** The same for pyinfra. */
export function pyinfraDeploy(): string {
  const text = JSON.stringify;
  return [
    'from io import StringIO',
    'from pyinfra import host',
    'from pyinfra.operations import files, server, systemd',
    'base = f"/tmp/bench/{host.data.folder}"',
    `for name in ${text(DIRECTORIES)}:`,
    '    files.directory(path=f"{base}/{name}", mode="755")',
    `for name, content in ${text(FILES.map((name) => [name, content(name)]))}:`,
    '    files.put(src=StringIO(content), dest=f"{base}/d0/{name}", mode="644")',
    `for line in ${text(LINES)}:`,
    '    files.line(path=f"{base}/d1/conf", line="^" + line.split("=")[0] + "=.*", replace=line)',
    'systemd.service(service="ssh", running=True, enabled=True)',
    'server.user(user="daemon", shell="/usr/sbin/nologin")',
    '',
  ].join('\n');
}
