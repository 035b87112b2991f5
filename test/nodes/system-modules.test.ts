import { expect } from 'chai';
import { type NspawnNode, startNode } from '../support/nodes/nspawn.ts';
import { needMachines } from '../support/nodes/requirements.ts';
import { failureIn, live, type Members, type Story } from '../support/nodes/stories.ts';
import { openNode, type RealHost } from '../support/real-host.ts';

const UNIT = '[Service]\nExecStart=/bin/sleep infinity\n[Install]\nWantedBy=multi-user.target\n';

const STORIES: readonly Story[] = [
  {
    title: 'starts and enables a unit',
    module: 'service',
    args: { name: 'sleeper', state: 'started', enabled: true },
    look: 'systemctl is-active sleeper; systemctl is-enabled sleeper',
    seen: 'active\nenabled\n',
  },
  {
    title: 'stops and masks a unit',
    module: 'systemd_service',
    args: { name: 'sleeper2.service', state: 'stopped', masked: true },
    look: 'systemctl is-active sleeper2; systemctl is-enabled sleeper2',
    seen: 'inactive\nmasked\n',
  },
  {
    title: 'unmasks, enables and starts a unit',
    module: 'systemd_service',
    args: { name: 'sleeper2', state: 'started', masked: false, enabled: true },
    look: 'systemctl is-active sleeper2; systemctl is-enabled sleeper2',
    seen: 'active\nenabled\n',
  },
  {
    title: 'adds a group',
    module: 'group',
    args: { name: 'ops', gid: 2000 },
    look: 'getent group ops',
    seen: 'ops:x:2000:\n',
  },
  {
    title: 'gives a group another number',
    module: 'group',
    args: { name: 'ops', gid: 2001 },
    look: 'getent group ops',
    seen: 'ops:x:2001:\n',
  },
  {
    title: 'adds a user with everything',
    module: 'user',
    args: {
      ...{ name: 'ada', uid: 3000, group: 'ops', groups: ['adm', 'sudo'], comment: 'Ada L, x' },
      ...{ home: '/srv/people/ada', shell: '/bin/bash', umask: '0077', expires: 1893456000 },
      ...{ password: '$6$salt$hash', password_lock: true, password_expire_max: 90 },
    },
    look: 'getent passwd ada; getent shadow ada | cut -d: -f2,5,8; id -Gn ada; stat -c %a:%U /srv/people/ada',
    seen: 'ada:x:3000:2001:Ada L, x:/srv/people/ada:/bin/bash\n!$6$salt$hash:90:21915\nops adm sudo\n700:ada\n',
  },
  {
    title: 'moves a user, unlocks the password and leaves a group',
    module: 'user',
    args: {
      ...{ name: 'ada', groups: ['adm'], home: '/home/ada', move_home: true },
      ...{ password_lock: false, expires: -1 },
    },
    look: 'getent passwd ada | cut -d: -f6; getent shadow ada | cut -d: -f2,8; id -Gn ada; stat -c %a:%U /home/ada',
    seen: '/home/ada\n$6$salt$hash:\nops adm\n700:ada\n',
  },
  {
    title: 'makes an SSH key with a passphrase',
    module: 'user',
    args: {
      ...{ name: 'ada', generate_ssh_key: true, ssh_key_type: 'ed25519' },
      ...{ ssh_key_comment: 'a b', ssh_key_passphrase: "it's $(id) \\n" },
    },
    look: `cd /home/ada/.ssh; stat -c %a:%U . id_ed25519; cut -d' ' -f1,3- id_ed25519.pub; ssh-keygen -yP "it's \\$(id) \\\\n" -f id_ed25519 | cut -d' ' -f1`,
    seen: '700:ada\n600:ada\nssh-ed25519 a b\nssh-ed25519\n',
  },
  {
    title: 'makes the home directory of a user that lost it',
    module: 'user',
    args: { name: 'eve' },
    look: 'stat -c %a:%U:%G /home/eve /home/eve/.profile',
    seen: '755:eve:eve\n644:eve:eve\n',
  },
  {
    title: 'removes a user with their home directory',
    module: 'user',
    args: { name: 'ada', state: 'absent', remove: true },
    look: 'getent passwd ada; ls /home',
    seen: 'eve\n',
  },
  {
    title: 'removes a group',
    module: 'group',
    args: { name: 'ops', state: 'absent' },
    look: 'getent group ops',
    seen: '',
  },
  {
    title: 'sets a kernel parameter now and at boot',
    module: 'sysctl',
    args: {
      ...{ name: 'net.ipv4.ip_local_port_range', value: '20000 30000' },
      ...{ sysctl_file: '/etc/sysctl.d/90-ports.conf' },
    },
    look: 'cat /etc/sysctl.d/90-ports.conf; cat /proc/sys/net/ipv4/ip_local_port_range',
    seen: 'net.ipv4.ip_local_port_range=20000 30000\n20000\t30000\n',
  },
];

const FAILURES: readonly [module: string, args: Members, message: string][] = [
  [
    'service',
    { name: 'nope', state: 'started' },
    'Could not find the requested service nope: host',
  ],
  ['systemd_service', { name: 'liar', state: 'started' }, 'Unable to start service liar: '],
  ['user', { name: 'zoe', uid: 0 }, 'UID 0 is not unique'],
  ['group', { name: 'zoe', gid: 0 }, "GID '0' already exists"],
  ['sysctl', { name: 'net.nope', value: '1' }, 'Failed to reload sysctl: '],
  ['wait_for', { port: 1, timeout: 1 }, 'Timeout when waiting for 127.0.0.1:1'],
  ['reboot', { reboot_command: 'nope' }, 'Unable to find command "nope" in search paths'],
];

describe('modules for the system, on a node without Python', () => {
  let node: NspawnNode;
  let host: RealHost;

  before(async function () {
    await needMachines(this);
    node = await startNode({ name: 'system' });
    host = await openNode(node);
    await node.exec(`cd /etc/systemd/system; for n in sleeper liar; do printf '${UNIT}' >$n.service; done
mkdir -p /usr/local/lib/systemd/system; printf '${UNIT}' >/usr/local/lib/systemd/system/sleeper2.service
sed -i 's/sleep infinity/false/; s/.Service./&\\nType=oneshot/' liar.service; systemctl daemon-reload
systemctl start sleeper2; useradd -M eve`);
  });
  after(async () => {
    try {
      await host?.close();
    } finally {
      await node?.stop();
    }
  });

  for (const story of STORIES) {
    it(`${story.title} (${story.module})`, () => live({ host, exec: node.exec }, story));
  }

  for (const [module, args, message] of FAILURES) {
    it(`says why it fails (${module} ${JSON.stringify(args)})`, async () => {
      expect(await failureIn(host, module, args)).to.include(message);
    });
  }

  it('costs one round trip where nothing changes', async () => {
    const before = host.frames;
    await host.play('user', { name: 'eve', groups: [], shell: '/bin/sh' });
    await host.play('systemd_service', { name: 'sleeper', state: 'started' });
    await host.play('group', { name: 'eve' });
    expect(host.frames - before).to.equal(3);
  });

  it('waits for ports, files and their content', async () => {
    const later = 'sleep 1; echo "port 4711" >/run/late; sleep infinity';
    await host.play('shell', { cmd: `nohup sh -c '${later}' >/dev/null 2>&1 &` });
    const file = await host.play('wait_for', { path: '/run/late', search_regex: '^port (\\d+)$' });
    expect(file.result).to.deep.include({ match_groups: ['4711'], state: 'file', mode: '0644' });
    const port = await host.play('wait_for', { port: 22, search_regex: 'OpenSSH' });
    expect(port.result).to.include({ state: 'started', port: 22 });
    const sleep = async () => expect.fail('it was not there already');
    await host.play(
      'wait_for',
      { path: '/run/none', state: 'absent' },
      { conversation: { sleep } },
    );
  });

  it('restarts and goes on', async () => {
    await node.exec('touch /run/until-reboot');
    const { result } = await host.play('reboot', { reboot_timeout: 600, connect_timeout: 20 });
    expect(result).to.include({ changed: true, rebooted: true });
    expect((await host.play('wait_for_connection', {})).result).to.have.property('elapsed');
    const { stdout } = (await host.play('shell', { cmd: 'ls /run/until-reboot 2>&1 || true' }))
      .result;
    expect(stdout).to.include('No such file');
  });
});
