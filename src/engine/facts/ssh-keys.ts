import { sh } from '../../shared/shell.ts';
import { type Collector, rows } from './collector.ts';

const TYPES = ['dsa', 'rsa', 'ecdsa', 'ed25519'] as const;
const DIRECTORIES = ['/etc/ssh', '/etc/openssh', '/etc'] as const;

/** Public host keys of the SSH server, from the first directory that has any. */
export const sshKeys: Collector = {
  name: 'ssh_pub_keys',
  ids: ['ssh_host_pub_keys', ...TYPES.map((type) => `ssh_host_key_${type}_public`)],
  script: sh`s ssh-keys; v ${DIRECTORIES.flatMap((directory) => TYPES.map((type) => keyFile(directory, type)))}`,

  parse(sections) {
    const files = rows(sections, 'ssh-keys');
    const directory = DIRECTORIES.find((each) =>
      TYPES.some((type) => files.has(keyFile(each, type))),
    );
    if (directory === undefined) return {};
    const facts = TYPES.flatMap((type) => {
      const [keytype, key] = (files.get(keyFile(directory, type)) ?? '').split(' ');
      if (key === undefined) return [];
      const name = `ssh_host_key_${type}_public`;
      return [
        [name, key],
        [`${name}_keytype`, keytype],
      ];
    });
    return Object.fromEntries(facts);
  },
};

function keyFile(directory: string, type: string): string {
  return `${directory}/ssh_host_${type}_key.pub`;
}
