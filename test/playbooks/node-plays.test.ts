import { mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { ROOT } from '../support/source-files.ts';
import { runTsprov } from '../support/tsprov.ts';

/** Nothing listens there: GitHub is away. */
const NO_WAY_OUT = { HTTPS_PROXY: 'http://127.0.0.1:9', https_proxy: 'http://127.0.0.1:9' };

describe('the playbooks for nodes', () => {
  let folder: string;

  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'tsprov-shipped-'));
  });
  afterEach(() => rmSync(folder, { recursive: true }));

  const play = (name: string, ...args: readonly string[]) =>
    runTsprov(['play', join(ROOT, 'playbooks', name), ...args], {
      cwd: folder,
      env: { ...process.env, ...NO_WAY_OUT },
    });
  function inventory(...cidrs: readonly string[]): string {
    const hosts = cidrs.map(
      (cidr, i) => `n${i} ansible_host=127.0.0.1 ansible_port=9 pod_cidr=${cidr}\n`,
    );
    writeFileSync(join(folder, 'hosts.ini'), hosts.join(''));
    return join(folder, 'hosts.ini');
  }

  const planned = ['-i', 'localhost,', '-c', 'local', '--check', '--diff'];

  it('plan this machine without a way to the releases, and say so', async () => {
    const { code, stdout, stderr } = await play('prepare-node.yaml', ...planned);
    expect(code, stdout + stderr).to.equal(0);
    expect(stdout).to.match(/the newest release is not known: .* does not answer: /);
    expect(readdirSync(folder)).to.deep.equal([]);
  });

  it('plan past a package of containerd, and say that it stands in the way', async () => {
    const programs = join(folder, 'bin');
    mkdirSync(programs);
    const query =
      '#!/bin/sh\ncase "$*" in *containerd.io*) echo "installed containerd" ;; *) exit 1 ;; esac\n';
    writeFileSync(join(programs, 'dpkg-query'), query, { mode: 0o755 });
    const path = `${programs}:${process.env['PATH']}`;
    const { code, stdout, stderr } = await runTsprov(
      ['play', join(ROOT, 'playbooks/prepare-node.yaml'), ...planned],
      { cwd: folder, env: { ...process.env, ...NO_WAY_OUT, PATH: path } },
    );
    expect(code, stdout + stderr).to.equal(0);
    expect(stdout + stderr).to.match(
      /The package containerd is installed, and the release would run instead of it\. Set allow_runtime_switch=true/,
    );
    expect(stdout).to.match(/TASK \[cni : Configure the network of pods\]/);
    expect(stdout).to.match(/failed=0 .* ignored=[12]/);
  });

  it('tell what to do when the repository of CRI-O is away', async () => {
    const { code, stdout, stderr } = await play(
      'prepare-node.yaml',
      ...planned,
      '-e',
      'container_runtime=crio',
    );
    expect(code, 'a check run goes past it').to.equal(0);
    expect(stdout + stderr).to.match(
      /The key of a repository cannot be fetched: .* set crio_line to a line/s,
    );
  });

  it('refuse pod ranges that overlap or are none before any host is contacted', async () => {
    const overlapping = await play(
      'prepare-node.yaml',
      '-i',
      inventory('10.200.0.0/23', '10.200.1.0/24'),
    );
    expect(overlapping.code).to.equal(2);
    expect(overlapping.stdout).to.match(/10\.200\.1\.0\/24.*overlap/);
    const malformed = await play(
      'prepare-node.yaml',
      '-i',
      inventory('10.200.0.0/24', '10.200.1.0/33'),
    );
    expect(malformed.stdout).to.include('10.200.1.0/33');
    const services = await play('prepare-node.yaml', '-i', inventory('10.96.3.0/24'));
    expect(services.stdout).to.include('services');
    expect(overlapping.stdout + malformed.stdout + services.stdout).to.not.include('UNREACHABLE!');
  });

  it('show what does not hold as a table, and fail', async () => {
    const { code, stdout } = await play('verify-node.yaml', '-i', 'localhost,', '-c', 'local');
    expect(code, stdout).to.equal(2);
    expect(stdout).to.match(/step +check +expected +found +result +evidence/);
    expect(stdout).to.match(/cni +iptables +a version +/);
    expect(stdout).to.match(/preflight +Service-Kubelet +enabled +not installed +WARN/);
    expect(stdout).to.match(/preflight +CRI +a socket +none +FAIL/);
    expect(stdout).to.match(/cni +configuration that counts +10-bridge\.conf +none +FAIL/);
    expect(stdout).to.match(/changed=0/);
  });

  it('undo nothing without a yes', async () => {
    const here = ['-i', 'localhost,', '-c', 'local'];
    const { code, stdout } = await play('reset-node.yaml', ...here, '-e', 'confirm=no');
    expect(code).to.equal(2);
    expect(stdout)
      .to.include('Nothing was changed.')
      .and.to.match(/changed=0/);
  });
});
