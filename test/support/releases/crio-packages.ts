/** A package repository of the form that CRI-O's has, with a small program that stands in for CRI-O. */
import { chmod, mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { mustRun } from '../run-command.ts';
import { sha256 } from './release-server.ts';

/** Prints the files in the order in which CRI-O reads them, so that the last word comes last. */
const PROGRAM = `#!/bin/sh
case $1 in
  config) cat /etc/crio/crio.conf /etc/crio/crio.conf.d/*.conf ;;
  *) exec sleep infinity ;;
esac
`;
const FILES = {
  'DEBIAN/control': `Package: cri-o
Version: 1.34.2-1.1
Architecture: all
Maintainer: Nobody <nobody@example.org>
Description: stands in for CRI-O
`,
  'DEBIAN/conffiles': '/etc/crio/crio.conf.d/10-crio.conf\n',
  'usr/bin/crio': PROGRAM,
  'etc/crio/crio.conf.d/10-crio.conf': `[crio.image]
signature_policy = "/etc/crio/policy.json"

[crio.runtime]
default_runtime = "crun"
`,
  'usr/lib/systemd/system/crio.service': `[Unit]
Requires=crio.socket
After=crio.socket
[Service]
ExecStart=/usr/bin/crio
[Install]
WantedBy=multi-user.target
`,
  'usr/lib/systemd/system/crio.socket': `[Socket]
ListenStream=/var/run/crio/crio.sock
`,
};

/** Writes a signed repository without folders, with its key as `Release.key`. */
export async function writeCrioRepository(folder: string): Promise<void> {
  const tree = join(folder, 'tree');
  for (const [name, text] of Object.entries(FILES)) {
    await mkdir(dirname(join(tree, name)), { recursive: true });
    await writeFile(join(tree, name), text);
  }
  await chmod(join(tree, 'usr/bin/crio'), 0o755);
  const file = 'cri-o_1.34.2-1.1_all.deb';
  await mustRun('dpkg-deb', ['--root-owner-group', '-b', tree, join(folder, file)]);
  await rm(tree, { recursive: true });
  const content = await readFile(join(folder, file));
  const packages = `${FILES['DEBIAN/control']}Filename: ./${file}\nSize: ${content.length}\nSHA256: ${sha256(content)}\n`;
  await writeFile(join(folder, 'Packages'), packages);
  const release = `Date: ${new Date().toUTCString().replace('GMT', 'UTC')}\nSHA256:\n ${sha256(Buffer.from(packages))} ${packages.length} Packages\n`;
  await writeFile(join(folder, 'Release'), release);
  await sign(folder);
}

async function sign(folder: string): Promise<void> {
  const home = join(folder, 'gnupg');
  await mkdir(home, { mode: 0o700 });
  const gpg = (...args: readonly string[]) =>
    mustRun('gpg', ['--homedir', home, '--batch', '--quiet', '--passphrase', '', ...args], {
      cwd: folder,
    });
  await gpg('--quick-generate-key', 'test', 'ed25519', 'sign', 'never');
  await gpg('--clearsign', '--output', 'InRelease', 'Release');
  await gpg('--armor', '--export', '--output', 'Release.key');
  await mustRun('gpgconf', ['--homedir', home, '--kill', 'gpg-agent']);
  await rm(home, { recursive: true });
}
