import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { NspawnNode } from './nspawn.ts';

/** What preparing a node appends to the kernel's command line. */
export const BOOT_OPTIONS = 'cgroup_enable=cpuset cgroup_memory=1 cgroup_enable=memory';

/** Lets a container believe that its kernel was started with this command line, until it restarts. */
export async function pretendLine(node: NspawnNode, line: string): Promise<void> {
  await writeFile(join(node.root, 'pretended-line'), `${line}\n`);
  const { code, stderr } = await node.exec('mount --bind /pretended-line /proc/cmdline');
  if (code !== 0) throw new Error(`the command line cannot be replaced: ${stderr}`);
}

/** Starts before everything that could look: the line is what the firmware would read now. */
const UNIT = `[Unit]
DefaultDependencies=no
Before=sysinit.target
[Service]
Type=oneshot
ExecStart=sh -c 'head -n 1 /boot/firmware/cmdline.txt > /run/line && mount --bind /run/line /proc/cmdline'
[Install]
WantedBy=sysinit.target
`;

/** Lets a container restart with the line of its boot partition, as a Raspberry Pi does, from now on. */
export async function bootByLine(node: NspawnNode, line: string): Promise<void> {
  await mkdir(join(node.root, 'boot/firmware'), { recursive: true });
  await writeFile(join(node.root, 'boot/firmware/config.txt'), '');
  await writeFile(join(node.root, 'boot/firmware/cmdline.txt'), `${line}\n`);
  await writeFile(join(node.root, 'etc/systemd/system/firmware.service'), UNIT);
  const { code, stderr } = await node.exec('systemctl enable --now firmware');
  if (code !== 0) throw new Error(`the command line cannot be replaced: ${stderr}`);
}
