import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect } from 'chai';
import { holdLock, releaseLock, untilSleeping } from '../support/nodes/lock.ts';
import { type NspawnNode, startNode } from '../support/nodes/nspawn.ts';
import { needMachines } from '../support/nodes/requirements.ts';
import { live, type Story } from '../support/nodes/stories.ts';
import { openNode, type RealHost } from '../support/real-host.ts';

const BODY = 'hello world\n';
const INSTALLED = `dpkg-query -W -f '\${db:Status-Abbrev}\${Package}\\n' sl 2>/dev/null`;

function stories(base: string): readonly Story[] {
  return [
    {
      title: 'installs a package and what it needs',
      module: 'apt',
      args: { name: 'sl', cache_valid_time: 86_400 },
      look: INSTALLED,
      seen: 'ii sl\n',
    },
    {
      title: 'removes a package and what is no longer needed',
      module: 'apt',
      args: { name: 'sl', state: 'absent', purge: true, autoremove: true },
      look: INSTALLED,
      seen: '',
    },
    {
      title: 'installs a package file with what it needs',
      module: 'apt',
      args: { deb: '/root/sl.deb' },
      look: INSTALLED,
      seen: 'ii sl\n',
    },
    {
      title: 'installs a package without starting its service',
      module: 'apt',
      args: { name: 'at', policy_rc_d: 101, install_recommends: false },
      look: 'systemctl is-active atd; ls /usr/sbin/policy-rc.d 2>/dev/null',
      seen: 'inactive\n',
    },
    {
      title: 'fetches a file with what a bare host has',
      module: 'get_url',
      args: { url: `${base}/file`, dest: '/root/fetched', mode: '0600', use_proxy: false },
      look: 'stat -c %a /root/fetched; cat /root/fetched',
      seen: `600\n${BODY}`,
    },
    {
      title: 'unpacks an archive of the host',
      module: 'unarchive',
      args: { src: '/root/a.tar.gz', dest: '/opt', remote_src: true, owner: 'daemon' },
      look: "stat -c '%U %a' /opt/tree/f; cat /opt/tree/f",
      seen: 'daemon 640\nx\n',
    },
    {
      title: 'puts a line where it belongs',
      module: 'lineinfile',
      args: { path: '/etc/adduser.conf', regexp: '^#?DIR_MODE=', line: 'DIR_MODE=0700' },
      look: 'grep -c ^DIR_MODE=0700 /etc/adduser.conf',
      seen: '1\n',
    },
    {
      title: 'puts a block into a file that it makes',
      module: 'blockinfile',
      args: { path: '/etc/a/b/hosts', block: '10.0.0.1 a\n10.0.0.2 b', create: true },
      look: 'cat /etc/a/b/hosts',
      seen: '# BEGIN ANSIBLE MANAGED BLOCK\n10.0.0.1 a\n10.0.0.2 b\n# END ANSIBLE MANAGED BLOCK\n',
    },
  ];
}

describe('modules for packages and files, on a node without Python', () => {
  let node: NspawnNode;
  let host: RealHost;
  let server: Server;
  let base: string;

  before(async function () {
    await needMachines(this);
    node = await startNode({ name: 'pack' });
    host = await openNode(node);
    server = createServer((_request, answer) => answer.end(BODY));
    const gateway = node.address.replace(/\d+$/, '1');
    await new Promise<void>((resolve) => server.listen(0, gateway, resolve));
    base = `http://${gateway}:${(server.address() as AddressInfo).port}`; // It listens on TCP.
    await node.exec(
      'mkdir /root/tree; echo x >/root/tree/f; chmod 640 /root/tree/f; cd /root; tar czf a.tar.gz tree; apt-get -qq update; apt-get -qq download sl; mv sl_*.deb sl.deb',
    );
  });

  after(async () => {
    await host?.close();
    server?.close();
    await node?.stop();
  });

  for (const [index, { title }] of stories('').entries()) {
    it(title, async () => {
      const story = stories(base)[index];
      if (story === undefined) return expect.fail('there is no such story');
      await live({ host, exec: node.exec }, story);
    });
  }

  it('predicts exactly the packages that an installation brings', async () => {
    const list = `dpkg-query -W -f '\${db:Status-Abbrev}\${binary:Package}\\n' | grep ^ii | sort`;
    const before = new Set((await node.exec(list)).stdout.split('\n'));
    const args = { name: ['libgpm2', 'lsof'], install_recommends: true };
    const { effects = [] } = await host.play('apt', args, { check: true });
    await host.play('apt', args);
    const added = (await node.exec(list)).stdout.split('\n').filter((line) => !before.has(line));
    const names = added.map((line) => line.slice(3).replace(/:.*$/, ''));
    expect(effects.map(({ name }) => name).sort()).to.deep.equal(names.sort());
  });

  it('waits for another program that holds the lock of dpkg', async () => {
    await holdLock(node, '/var/lib/dpkg/lock-frontend', 600);
    const playing = host.play('apt', { name: 'lsof', state: 'absent', lock_timeout: 600 });
    await Promise.race([playing, untilSleeping(node, 'apt-get')]);
    await releaseLock(node);
    expect((await playing).result['stdout']).to.include('Could not get lock');
  });

  it('says that a package does not exist, and what may have been meant', async () => {
    const error = await host.play('apt', { name: 'contaiderd' }).then(
      () => undefined,
      (thrown: { message: string; hint?: string }) => thrown,
    );
    expect(error?.message).to.equal('package "contaiderd" does not exist');
    expect(error?.hint).to.equal('did you mean "containerd"?');
  });

  it('plans a package and its service on a host that has no package lists yet', async () => {
    await node.exec('rm -rf /var/lib/apt/lists/*_*');
    const args = { name: 'cron', update_cache: true, install_recommends: false };
    const { result } = await host.play('apt', args, { check: true });
    expect(result).to.include({ changed: true, cache_updated: true });
    const service = { name: 'cron', state: 'started', enabled: true };
    const predicted = await host.play('systemd_service', service, { check: true });
    expect(predicted.result).to.include({ changed: false });
    expect((await host.play('apt', args)).result).to.include({ changed: true });
    expect((await host.play('systemd_service', service)).result).to.include({ changed: false });
  });
});
