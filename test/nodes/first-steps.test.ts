/** Swap, boot line and kernel on a machine of its own, which boots as a Raspberry Pi does. */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { type TestNode, waitUntil } from '../support/nodes/node.ts';
import { startQemuNode } from '../support/nodes/qemu.ts';
import { needMachines } from '../support/nodes/requirements.ts';
import { type PlayRun, playOn } from '../support/play-on.ts';

const LINE = '/boot/firmware/current/cmdline.txt';
const WORDS = 'root=/dev/vda rw console=ttyS0';
const DISABLED = 'cgroup_disable=memory';
const OPTIONS = 'cgroup_enable=cpuset cgroup_memory=1 cgroup_enable=memory';

const BOOT_TIMEOUT_MS = 900_000;

/** All ways to swap that a Debian machine can have at once. */
const FILES = {
  '/etc/fstab': `/dev/vda / ext4 defaults 0 1
/dev/vdb /boot/firmware vfat defaults,x-systemd.device-timeout=15min 0 2
/swapfile none swap sw,nofail 0 0
`,
  '/etc/dphys-swapfile': 'CONF_SWAPSIZE=16\n',
  '/etc/systemd/zram-generator.conf': '[zram0]\nzram-size = 32\n',
  '/usr/lib/systemd/system/mkswap.service': `[Unit]
ConditionPathExists=!/vendorswap
Before=vendorswap.swap
[Service]
Type=oneshot
ExecStart=sh -c 'fallocate -l 16M /vendorswap && chmod 600 /vendorswap && mkswap /vendorswap'
`,
  '/usr/lib/systemd/system/vendorswap.swap': `[Unit]
After=mkswap.service
[Swap]
What=/vendorswap
`,
  '/usr/lib/systemd/system/swap.target.d/vendor.conf':
    '[Unit]\nWants=mkswap.service vendorswap.swap\n',
};

/** Takes the power away between the backup of the boot line and the moment when the new one takes its place. */
const DYING_MV = `#!/bin/sh
for last; do :; done
case $last in */current/cmdline.txt) echo b > /proc/sysrq-trigger; sleep 60;; esac
exec /usr/bin/mv "$@"
`;

describe('the first steps of preparing a node, on a machine that boots like a Raspberry Pi', () => {
  let node: TestNode;
  let folder: string;
  let fstab: string;
  let cut: PlayRun;
  let afterCut: string;
  let disabled: PlayRun;
  let predicted: PlayRun;
  let first: PlayRun;

  const play = (...args: readonly string[]) =>
    playOn(node, folder, 'playbooks/prepare-node.yaml', [
      ...(args.includes('--tags') ? [] : ['--tags', 'swap,boot,kernel']),
      ...['-e', 'boot_loader=firmware'],
      ...args,
    ]);
  /** Fails where other steps do not hold than these. */
  const verify = (...failing: readonly string[]) =>
    playOn(node, folder, 'test/playbooks/steps/verify-first-steps.yaml', [
      ...['-e', 'boot_loader=firmware', '-e', JSON.stringify({ failing_steps: failing })],
    ]);
  const read = async (command: string) => (await node.exec(command)).stdout.trimEnd();
  const swaps = () =>
    read("tail -n +2 /proc/swaps | cut -d' ' -f1 | cut -f1 | sort | tr '\\n' ' '");
  const comesBack = () =>
    waitUntil(async () => (await node.exec('true')).code === 0, BOOT_TIMEOUT_MS, 'no answer');
  const hasAllSwaps = () =>
    waitUntil(
      async () => (await swaps()) === '/dev/zram0 /swapfile /var/swap /vendorswap',
      BOOT_TIMEOUT_MS,
      'not all swaps are there',
    );
  /** Each line of the boot files and their backups, after its path. */
  const bootFiles = () => read('grep -r . /boot/firmware /var/lib/tsprov/boot');

  before(async function () {
    await needMachines(this);
    folder = await mkdtemp(join(tmpdir(), 'tsprov-first-steps-'));
    node = await startQemuNode({
      name: 'berry',
      packages: ['dphys-swapfile', 'systemd-zram-generator'],
      files: FILES,
      firmware: {
        files: {
          'config.txt': '[all]\nos_prefix=current/\n[tryboot]\nos_prefix=new/\n',
          'cmdline.txt': `${WORDS} inert=1\n`,
          'current/cmdline.txt': `${WORDS} ${DISABLED}\n`,
          'new/cmdline.txt': `${WORDS}\n`,
        },
        lineFile: 'current/cmdline.txt',
      },
    });
    fstab = await read('cat /etc/fstab');
    await node.exec('fallocate -l 16M /swapfile && chmod 600 /swapfile && mkswap /swapfile');
    await node.exec(
      `printf %s '${DYING_MV}' > /usr/local/bin/mv && chmod +x /usr/local/bin/mv && sync`,
    );
    cut = await play('--tags', 'boot');
    await comesBack();
    afterCut = await bootFiles();
    await node.exec('rm /usr/local/bin/mv');
    await hasAllSwaps();
    disabled = await play('--tags', 'boot', '-e', 'boot_line=never');
    await node.exec(`sed -i 's/ ${DISABLED}//' ${LINE} && sync`);
    predicted = await play('--check', '--diff');
    first = await play('--diff');
  });
  after(async () => {
    await node?.stop();
    await rm(folder, { recursive: true, force: true });
  });

  it('lose nothing with the power, and leave no half of a file', () => {
    expect(cut.code, cut.text).to.equal(4);
    const lines = afterCut.split('\n');
    for (const [slot, text] of Object.entries({ current: `${WORDS} ${DISABLED}`, new: WORDS })) {
      expect(lines).to.include(`/boot/firmware/${slot}/cmdline.txt:${text}`);
      const backup = new RegExp(
        `^/var/lib/tsprov/boot/boot-firmware-${slot}-[^/]*[0-9a-f]{12}:${text}$`,
      );
      expect(lines.filter((line) => backup.test(line))).to.have.length(1);
    }
  });

  it('fail where memory is disabled, and name the word and the file', () => {
    expect(disabled.code, disabled.text).to.equal(2);
    expect(disabled.text).to.include(`started with ${DISABLED}, which stands in ${LINE}`);
  });

  it('succeed, and do what they predicted', () => {
    expect(first.code, first.text).to.equal(0);
    expect(predicted.code, predicted.text).to.equal(0);
    expect(predicted.changed).to.deep.equal(first.changed);
  });

  it('leave no swap, after the restart that they made', async () => {
    expect(await read('cat /proc/cmdline')).to.equal(`${WORDS} ${OPTIONS}`);
    expect(await swaps()).to.equal('');
    expect(await read('LC_ALL=C free | grep Swap')).to.match(/^Swap:\s+0\s+0\s+0$/);
    expect(await read('systemctl is-enabled dphys-swapfile')).to.equal('disabled');
    expect(await read('systemctl show -P ActiveState dphys-swapfile')).to.equal('inactive');
    await node.exec('systemctl restart swap.target');
    expect(await swaps(), 'after a restart of swap.target').to.equal('');
  });

  it('edit both slots of the boot line and nothing else, with backups off the FAT partition', async () => {
    for (const slot of ['current', 'new']) {
      expect(await read(`cat /boot/firmware/${slot}/cmdline.txt`)).to.equal(`${WORDS} ${OPTIONS}`);
    }
    expect(await read('cat /boot/firmware/cmdline.txt')).to.equal(`${WORDS} inert=1`);
    expect(await read('find /boot/firmware -type f | sort')).to.equal(
      ['cmdline.txt', 'config.txt', 'current/cmdline.txt', 'new/cmdline.txt']
        .map((name) => `/boot/firmware/${name}`)
        .join('\n'),
    );
    const backups = await read('cat /var/lib/tsprov/boot/boot-firmware-current-*');
    expect(backups.split('\n')).to.have.members([WORDS, `${WORDS} ${DISABLED}`]);
  });

  it('load the modules and set the parameters', async () => {
    expect(await read('lsmod | grep -cE "^(overlay|br_netfilter) "')).to.equal('2');
    expect(await read('cat /etc/modules-load.d/containerd.conf')).to.equal('overlay\nbr_netfilter');
    const values = 'sysctl -n net.bridge.bridge-nf-call-{iptables,ip6tables} net.ipv4.ip_forward';
    expect(await read(`bash -c '${values}'`)).to.equal('1\n1\n1');
  });

  it('are verified by looking only', async () => {
    const verified = await verify();
    expect(verified.code, verified.text).to.equal(0);
    expect(verified.changed).to.deep.equal([]);
  });

  it('change nothing the second time', async () => {
    const second = await play();
    expect(second.code, second.text).to.equal(0);
    expect(second.changed).to.deep.equal([]);
  });

  it('name the file that overrides a parameter', async () => {
    await node.exec('echo "net.ipv4.ip_forward = 0" > /etc/sysctl.conf');
    const run = await play('--skip-tags', 'swap,boot');
    expect(run.code, run.text).to.equal(2);
    expect(run.text).to.include(
      'net.ipv4.ip_forward after a boot: expected 1, found 0 (/etc/sysctl.conf)',
    );
    await node.exec('rm /etc/sysctl.conf');
  });

  it('refuse a partition that can only be read', async () => {
    await node.exec('mount -o remount,ro /boot/firmware');
    const run = await play('--tags', 'boot', '-e', '{"boot_options": ["quiet"]}');
    expect(run.code, run.text).to.equal(2);
    expect(run.text).to.include('/boot/firmware is mounted read-only');
    await node.exec('mount -o remount,rw /boot/firmware');
  });

  it('are undone, each file as it was', async () => {
    const undone = await playOn(node, folder, 'test/playbooks/steps/undo-first-steps.yaml', [
      ...['-e', 'boot_loader=firmware'],
    ]);
    expect(undone.code, undone.text).to.equal(0);
    expect(await read(`cat ${LINE}`)).to.equal(WORDS);
    expect(await read('cat /etc/fstab')).to.equal(fstab);
    await hasAllSwaps();
    expect(await read('ls -d /var/lib/tsprov/* /etc/modules-load.d/containerd.conf')).to.equal('');
    const verified = await verify('swap', 'boot', 'kernel');
    expect(verified.code, verified.text).to.equal(0);
  });
});
