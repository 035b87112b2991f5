/** Swap, boot line and kernel on a machine of its own, which boots as a Raspberry Pi does. */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import {
  ALL_SWAPS,
  SLOTS_LAYOUT,
  startBerry,
  swapsOf,
  waitForSwaps,
} from '../support/nodes/berry.ts';
import { BOOT_OPTIONS } from '../support/nodes/boot-line.ts';
import { type TestNode, waitForSsh } from '../support/nodes/node.ts';
import { bootWords } from '../support/nodes/qemu.ts';
import { needMachines } from '../support/nodes/requirements.ts';
import { BOOKWORM } from '../support/nodes/system.ts';
import { type PlayRun, playOn } from '../support/play-on.ts';

const LINE = '/boot/firmware/current/cmdline.txt';
const WAITING_LINE = '/boot/firmware/new/cmdline.txt';
const WORDS = bootWords(BOOKWORM);
const DISABLED = 'cgroup_disable=memory';
const ENABLED = 'cgroup_enable=memory';

/** Takes the power away between the backup of the boot line and the moment when the new one takes its place. */
const DIES_BEFORE = `#!/bin/sh
for last; do :; done
case $last in */current/cmdline.txt) echo b > /proc/sysrq-trigger; sleep 60;; esac
exec /usr/bin/mv "$@"
`;

/** Takes the power away when the new line is on the disk, before the run knows and does the rest. */
const DIES_AFTER = `#!/bin/sh
/usr/bin/mv "$@" || exit
for last; do :; done
case $last in */current/cmdline.txt) sync; echo b > /proc/sysrq-trigger; sleep 60;; esac
`;

/** The moments at which the power goes, and the line with which the machine then starts. */
const CUTS = [
  { when: 'before the new line is there', line: `${WORDS} ${DISABLED}` },
  { when: 'when the new line is there', line: `${WORDS} ${DISABLED} ${ENABLED}` },
];

interface Cut {
  readonly run: PlayRun;
  /** Each line of the boot files and their backups, after its path, as the next boot found them. */
  readonly files: readonly string[];
  /** With which the machine then started. */
  readonly line: string;
}

const BOOT_TIMEOUT_MS = 900_000;

describe('the first steps of preparing a node, on a machine that boots like a Raspberry Pi', () => {
  let node: TestNode;
  let folder: string;
  let fstab: string;
  let cuts: Cut[];
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
  /** Plays the boot step on the machine whose program `mv` takes its power away. */
  async function cutBy(program: string, ...args: readonly string[]): Promise<Cut> {
    const path = '/usr/local/bin/mv';
    await node.exec(`printf %s '${program}' > ${path} && chmod +x ${path} && sync`);
    const run = await play('--tags', 'boot', ...args);
    await waitForSsh(node, BOOT_TIMEOUT_MS);
    const found = await read('grep -r . /boot/firmware /var/lib/tsprov/boot');
    await node.exec(`rm ${path}`);
    return { run, files: found.split('\n'), line: await read('cat /proc/cmdline') };
  }

  before(async function () {
    await needMachines(this);
    folder = await mkdtemp(join(tmpdir(), 'tsprov-first-steps-'));
    node = await startBerry({ name: 'berry', layout: SLOTS_LAYOUT, word: DISABLED });
    fstab = await read('cat /etc/fstab');
    const onlyOne = ['-e', JSON.stringify({ boot_options: [ENABLED] })];
    cuts = [await cutBy(DIES_BEFORE, ...onlyOne), await cutBy(DIES_AFTER, ...onlyOne)];
    await waitForSwaps(node, ALL_SWAPS);
    disabled = await play('--tags', 'boot', ...onlyOne);
    await node.exec(`sed -i 's/ ${DISABLED}.*//' ${LINE} ${WAITING_LINE} && sync`);
    predicted = await play('--check', '--diff');
    first = await play('--diff');
  });
  after(async () => {
    await node?.stop();
    await rm(folder, { recursive: true, force: true });
  });

  for (const [at, { when, line }] of CUTS.entries()) {
    it(`lose nothing with the power ${when}, and leave no half of a file`, () => {
      const { run, files, line: running } = cuts[at] ?? {};
      expect(run?.code, run?.text).to.equal(4);
      expect(running).to.equal(line);
      expect(files).to.include(`${LINE}:${line}`);
      expect(files).to.include(`${WAITING_LINE}:${WORDS} ${DISABLED}`);
      for (const slot of ['current', 'new']) {
        const backup = new RegExp(
          `^/var/lib/tsprov/boot/boot-firmware-${slot}-[^/]*[0-9a-f]{12}:${WORDS} ${DISABLED}$`,
        );
        expect(files?.filter((each) => backup.test(each))).to.have.length(1);
      }
    });
  }

  it('fail where memory stays disabled beside the option, and name the word and the file', () => {
    expect(disabled.code, disabled.text).to.equal(2);
    expect(disabled.changed, disabled.text).to.have.length(1);
    expect(disabled.text).to.include(`started with ${DISABLED}, which stands in ${LINE}`);
  });

  it('succeed, and do what they predicted', () => {
    expect(first.code, first.text).to.equal(0);
    expect(predicted.code, predicted.text).to.equal(0);
    expect(predicted.changed).to.deep.equal(first.changed);
  });

  it('leave no swap, after the restart that they made', async () => {
    expect(await read('cat /proc/cmdline')).to.equal(`${WORDS} ${BOOT_OPTIONS}`);
    expect(await swapsOf(node)).to.deep.equal([]);
    expect(await read('LC_ALL=C free | grep Swap')).to.match(/^Swap:\s+0\s+0\s+0$/);
    expect(await read('systemctl is-enabled dphys-swapfile')).to.equal('disabled');
    expect(await read('systemctl show -P ActiveState dphys-swapfile')).to.equal('inactive');
    await node.exec('systemctl restart swap.target');
    expect(await swapsOf(node), 'after a restart of swap.target').to.deep.equal([]);
  });

  it('edit both slots of the boot line and nothing else, with backups off the FAT partition', async () => {
    for (const slot of ['current', 'new']) {
      expect(await read(`cat /boot/firmware/${slot}/cmdline.txt`)).to.equal(
        `${WORDS} ${BOOT_OPTIONS}`,
      );
    }
    expect(await read('cat /boot/firmware/cmdline.txt')).to.equal(`${WORDS} ${DISABLED} inert=1`);
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
    await waitForSwaps(node, ALL_SWAPS);
    expect(await read('ls -d /var/lib/tsprov/* /etc/modules-load.d/containerd.conf')).to.equal('');
    const verified = await verify('swap', 'boot', 'kernel');
    expect(verified.code, verified.text).to.equal(0);
  });
});
