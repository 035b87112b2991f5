import type { TestNode } from './node.ts';

const LOCK = 'my $b = pack("s s x4 q q i x4", F_WRLCK, 0, 0, 0, 0); fcntl(F, F_SETLK, $b) or die';

/** Lets another program, `perl`, hold a lock of apt or dpkg for so many seconds; resolves when it has the lock. */
export async function holdLock(node: TestNode, file: string, seconds: number): Promise<void> {
  const program = `use Fcntl; open F, ">>", "${file}" or die; ${LOCK}; open M, ">", "/run/lock-held"; sleep ${seconds}`;
  await node.exec(
    `systemd-run -q --collect --unit=lock-holder -p ExecStopPost='rm -f /run/lock-held' perl -e '${program}'; until [ -e /run/lock-held ]; do sleep 0.1; done`,
  );
}

/** Resolves when a program sleeps, as apt does between two tries to get a lock. */
export async function untilSleeping(node: TestNode, program: string): Promise<void> {
  await node.exec(
    `until grep -q nanosleep /proc/$(pgrep -xo ${program})/wchan; do sleep 0.1; done`,
  );
}

/** Ends the program that holds the lock. */
export async function releaseLock(node: TestNode): Promise<void> {
  await node.exec('systemctl stop lock-holder');
}
