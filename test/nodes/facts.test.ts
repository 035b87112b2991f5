import { readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { gatherFacts } from '../../src/engine/facts/gather.ts';
import { toPlain } from '../../src/engine/values.ts';
import { ansibleBin } from '../support/ansible.ts';
import { sshArguments, sshRun } from '../support/nodes/node.ts';
import { type NspawnNode, startNode } from '../support/nodes/nspawn.ts';
import { needMachines } from '../support/nodes/requirements.ts';
import { runCommand } from '../support/run-command.ts';

/** What differs from one gathering to the next, or by the way the gathering came to the host. */
const VOLATILE =
  /^(memfree_mb|memory_mb\.|loadavg\.|uptime_seconds|date_time\.|swapfree_mb|mounts\[\d+\]\.(size|block|inode)_(available|used)|env\.)/;

/** Entries of docs/differences.md and the facts that they explain. */
const ON_PURPOSE: Readonly<Record<string, RegExp>> = {
  'facts-broadcast': /\.broadcast$/,
};

/** Makes what a node of a real cluster has: local facts, bind mounts, blanks in names, more addresses. */
const FURNISH = `
mkdir -p /etc/ansible/facts.d "/mnt/a b"
cd /etc/ansible/facts.d
echo '{"a": [1, null]}' > json.fact
printf '[s]\\nKey = v\\nother: 1\\n' > ini.fact
printf '#!/bin/sh\\necho "[1,2]"\\n' > program.fact
printf '#!/bin/sh\\necho no >&2; exit 3\\n' > fails.fact
echo garbage > garbage.fact
chmod +x program.fact fails.fact
touch /mnt/file; mount --bind /etc/hostname /mnt/file
mount -t tmpfs tmpfs '/mnt/a b'
ip link add name br.test type bridge
ip addr add 10.9.9.1/24 dev br.test
ip addr add 10.9.9.2/24 brd + dev br.test label br.test:1
ip link set br.test up
echo 'options ndots:2 rotate' >> /etc/resolv.conf
`;

describe('facts of a node', () => {
  let node: NspawnNode;
  let theirs: Record<string, unknown> = {};
  let ours: Record<string, unknown> = {};

  before(async function () {
    await needMachines(this);
    const packages = ['lsb-release', 'ethtool', 'pciutils', 'libcap2-bin', 'iproute2'];
    node = await startNode({ name: 'facts', python: true, packages });
    await node.exec(FURNISH);
    theirs = await ansibleFacts(node);
    ours = await ourFacts(node);
  });
  after(() => node?.stop());

  it('are named and valued as those of Ansible’s setup', async () => {
    const found = differences(ours, theirs).filter((at) => !VOLATILE.test(at));
    const documented = await readFile(
      new URL('../../docs/differences.md', import.meta.url),
      'utf8',
    );
    const known = Object.entries(ON_PURPOSE)
      .filter(([id]) => documented.includes(`| \`${id}\` |`))
      .map(([, pattern]) => pattern);
    const unexplained = found.filter((at) => !known.some((pattern) => pattern.test(at)));
    const shown = unexplained.map(
      (at) => `${at}: ${member(ours, at)} instead of ${member(theirs, at)}`,
    );
    expect(shown, 'facts that differ').to.deep.equal([]);
  });

  it('hold also those that change all the time', () => {
    const names = (facts: object) => Object.keys(facts).sort();
    expect(names(ours)).to.deep.equal(names(theirs));
    for (const name of ['date_time', 'memory_mb', 'loadavg']) {
      expect(names(ours[name] as object), name).to.deep.equal(names(theirs[name] as object));
    }
  });

  it('are the same in every subset', async () => {
    for (const subset of [
      ['!all'],
      ['!all', '!min', 'network'],
      ['all', '!hardware'],
      ['!env'],
      ['virtual'],
    ]) {
      const [mine, real] = await Promise.all([ourFacts(node, subset), ansibleFacts(node, subset)]);
      expect(Object.keys(mine).sort(), subset.join()).to.deep.equal(Object.keys(real).sort());
    }
  });
});

async function ourFacts(node: NspawnNode, subset: readonly string[] = ['all']) {
  let roundTrips = 0;
  const facts = await gatherFacts(
    async ({ line }) => {
      roundTrips += 1;
      const path = `PATH=$PATH:/usr/sbin:/sbin LC_ALL=C`;
      return sshRun(node, `export ${path}; ${line}`);
    },
    { subset },
  );
  expect(roundTrips).to.equal(1);
  return toPlain(facts) as Record<string, unknown>; // Facts are a dict with text keys.
}

async function ansibleFacts(node: NspawnNode, subset: readonly string[] = ['all']) {
  const bin = await ansibleBin();
  const inventory = join(tmpdir(), `facts-${process.pid}-${subset.join('').replace(/\W/g, '')}`);
  const variables = {
    ansible_host: node.address,
    ansible_user: node.user,
    ansible_python_interpreter: '/usr/bin/python3',
    ansible_ssh_private_key_file: node.keyFile,
    ansible_ssh_args: sshArguments(node).join(' '),
  };
  const words = Object.entries(variables).map(([name, value]) => `${name}='${value}'`);
  await writeFile(inventory, `node ${words.join(' ')}\n`);
  const setup = `gather_subset=${subset.join(',')} gather_timeout=300`;
  const args = ['node', '-i', inventory, '-m', 'setup', '-a', setup];
  const { stdout, stderr } = await runCommand(join(bin, 'ansible'), args, {
    env: { ...process.env, PATH: `${bin}:${process.env['PATH']}`, ANSIBLE_NOCOLOR: '1' },
  });
  await rm(inventory);
  expect(stdout, stderr).to.include('SUCCESS');
  const result = JSON.parse(stdout.slice(stdout.indexOf('{')));
  const facts = Object.entries(result.ansible_facts as object);
  return Object.fromEntries(facts.map(([name, value]) => [name.replace(/^ansible_/, ''), value]));
}

/** Where two values differ. Lists are compared without order, as the kernel gives none. */
function differences(a: unknown, b: unknown, at = ''): readonly string[] {
  if (Array.isArray(a) && Array.isArray(b) && a.length === b.length) {
    const [left, right] = [sorted(a), sorted(b)];
    return left.flatMap((each, i) => differences(each, right[i], `${at}[${i}]`));
  }
  if (isMapping(a) && isMapping(b)) {
    const names = new Set([...Object.keys(a), ...Object.keys(b)]);
    const below = (name: string) =>
      differences(a[name], b[name], at === '' ? name : `${at}.${name}`);
    return [...names].flatMap(below);
  }
  return JSON.stringify(a) === JSON.stringify(b) ? [] : [at];
}

function sorted(list: readonly unknown[]): readonly unknown[] {
  const key = (value: unknown) =>
    isMapping(value) ? String(value['mount'] ?? JSON.stringify(value)) : JSON.stringify(value);
  return [...list].sort((a, b) => (key(a) < key(b) ? -1 : 1));
}

function member(facts: Record<string, unknown>, at: string): string {
  const parts = at.split(/[.[\]]+/).filter(Boolean);
  const found = parts.reduce<unknown>(
    (value, part) =>
      Array.isArray(value)
        ? sorted(value)[Number(part)]
        : isMapping(value)
          ? value[part]
          : undefined,
    facts,
  );
  return JSON.stringify(found);
}

function isMapping(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
