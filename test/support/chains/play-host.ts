/** Plays chains about a whole machine on a node: a check run and then a run, and compares them. */
import fc from 'fast-check';
import type { NspawnNode } from '../nodes/nspawn.ts';
import { type PlayedHere, playHere, type World } from '../play-here.ts';
import { type Chain, type ChainTask, chains, playbookOf } from './chain.ts';
import { disagreements, restless } from './compare.ts';
import { CHAIN_PATHS, fileTask } from './file-tasks.ts';
import { HOST_PATHS, hostTask } from './host-tasks.ts';

const DIRECTORY = '/srv/chain';

const PACKAGES = String.raw`set -e
mkdir -p /srv/repo && cd /srv/repo
build() {
  mkdir -p "$1/DEBIAN" "$1/etc/$1" "$1/lib/systemd/system"
  printf 'Package: %s\nVersion: 1\nArchitecture: all\nMaintainer: a <a@example.org>\nDescription: %s\n%s' "$1" "$1" "$2" >"$1/DEBIAN/control"
  echo a=1 >"$1/etc/$1/conf"
  echo "/etc/$1/conf" >"$1/DEBIAN/conffiles"
  printf '[Service]\nExecStart=/bin/sleep infinity\n[Install]\nWantedBy=multi-user.target\n' >"$1/lib/systemd/system/$1.service"
  printf '#!/bin/sh\nset -e\nif [ "$1" = configure ]; then systemctl daemon-reload; systemctl enable --now %s; fi\n' "$1" >"$1/DEBIAN/postinst"
  printf '#!/bin/sh\nset -e\nif [ "$1" = remove ]; then systemctl disable --now %s; fi\n' "$1" >"$1/DEBIAN/prerm"
  printf '#!/bin/sh\nsystemctl daemon-reload\n' >"$1/DEBIAN/postrm"
  chmod 755 "$1"/DEBIAN/p*
  dpkg-deb -b "$1" "$1.deb" >/dev/null
  { dpkg-deb -f "$1.deb"; echo "Filename: ./$1.deb"; echo "Size: $(wc -c <"$1.deb")"; echo "SHA256: $(sha256sum "$1.deb" | cut -d' ' -f1)"; echo; } >>Packages
}
build chain-a ''
build chain-b 'Depends: chain-a
'
echo 'deb [trusted=yes] file:/srv/repo ./' >/etc/apt/sources.list.d/chain.list
systemctl mask user@.service
apt-get -qq update -o Dir::Etc::sourcelist=sources.list.d/chain.list -o Dir::Etc::sourceparts=-`;

const CLEAN = `systemctl stop chain-a chain-b chain-c; systemctl unmask chain-a chain-c; systemctl disable chain-c
rm -rf ${DIRECTORY} /srv/ann /srv/shared /etc/sysctl.d/chain.conf /etc/systemd/system/chain-*
dpkg --purge chain-b chain-a; for u in ann bob; do userdel -f -r $u; groupdel $u; done; groupdel ops
rm -rf /home/ann /home/bob /etc/chain-a; systemctl daemon-reload; systemctl reset-failed
sysctl -qw net.ipv4.ip_forward=0; mkdir ${DIRECTORY}`;

/** Things that a chain may find. */
const STARTS: Readonly<Record<string, string>> = {
  ann: 'useradd -m ann',
  ops: 'groupadd ops',
  bob: 'useradd -M bob',
  package: 'dpkg -i /srv/repo/chain-a.deb',
  shared: 'mkdir /srv/shared; echo x >/srv/shared/f',
};

export interface HostStory {
  readonly start: readonly string[];
  readonly chain: Chain;
}

/** A machine with something on it, and a chain of tasks. */
export function hostStories(length: number): fc.Arbitrary<HostStory> {
  const task: fc.Arbitrary<ChainTask> = fc.oneof(
    { arbitrary: hostTask, weight: 5 },
    { arbitrary: fileTask, weight: 1 },
  );
  return fc.record({
    start: fc.subarray(Object.keys(STARTS)),
    chain: chains(task, length),
  });
}

/** Gives a node the packages that chains install. */
export async function prepareNode(node: NspawnNode): Promise<void> {
  const { code, stderr } = await node.exec(PACKAGES);
  if (code !== 0) throw new Error(stderr);
}

/** What is wrong about a story, in words. */
export async function faultsOn(
  node: NspawnNode,
  { start, chain }: HostStory,
  world: World,
): Promise<string[]> {
  await node.exec([CLEAN, ...start.map((each) => STARTS[each] ?? '')].join('\n'));
  const paths = [
    ...HOST_PATHS,
    ...CHAIN_PATHS.filter((path) => JSON.stringify(chain).includes(path)),
  ];
  world.write({ 'play.yaml': playbookOf(chain, paths) });
  const check = await play({ check: true, diff: true });
  const run = await play({ diff: true });
  return [...disagreements(chain, check, run), ...restless(chain, run)];

  function play(flags: { check?: boolean; diff?: boolean }): Promise<PlayedHere> {
    const inventory = [world.path('hosts.yaml')];
    const extraVars = [`dir=${DIRECTORY}`, 'server=http://127.0.0.1:9'];
    return playHere(world, { flags: { ...flags, inventory, extraVars } });
  }
}
