/**
 * A shell behind a program that takes a password only from a terminal. The program runs on a channel with a terminal;
 * the shell that it starts talks through named pipes with a second channel that has none, so that stdout and stderr
 * stay apart, any byte passes, and input can end.
 */
import { endTree, shellCommand } from './bootstrap.ts';
import type { Channel, ChannelEnd, Transport } from './channel.ts';

/** The pipes of a shell on the host, as a channel. */
export interface Bridge {
  readonly channel: Channel;
  /** Shell text that ties a shell's streams to the pipes. */
  readonly redirect: string;
  /** Takes the bridge down: for a shell that never came. */
  abandon(): Promise<void>;
}

/** How long the host may take to make the pipes. */
const BUILD_TIMEOUT_MS = 10_000;

/**
 * Makes the pipes. The directory may be entered by anyone, but the names in it cannot be guessed; it goes as soon as
 * the shell has opened the pipes, stdout last.
 */
export async function buildBridge(transport: Transport, nonce: string): Promise<Bridge> {
  const text =
    `umask 077; d=$(mktemp -d "\${TMPDIR:-/tmp}/.tsprov-XXXXXXXXXX") || exit 1; p=$d/${nonce}; ` +
    'mkfifo $p.i $p.o $p.e && chmod 666 $p.i $p.o $p.e && chmod 711 $d || { rm -rf $d; exit 1; }; exec 3<&0; ' +
    'cat <&3 >$p.i & cat <$p.e >&2 & { exec 3<&-; rm -rf $d; cat; } <$p.o & exec 3<&-; ' +
    `printf "\\036%s %d %s\\036" ${nonce} $$ "$d"; wait`;
  const channel = await transport.open(`exec ${shellCommand(text)}`);
  const [pid, dir] = await answer(channel, nonce);
  const pipes = `${dir}/${nonce}`;
  return {
    channel,
    redirect: `exec <${pipes}.i 2>${pipes}.e >${pipes}.o; `,
    abandon: () => abandon(transport, channel, pid, dir),
  };
}

/** Joins the bridge and the terminal's channel into one. */
export function joined(bridge: Channel, terminal: Channel): Channel {
  void bridge.ended.then(() => terminal.destroy());
  return {
    ...bridge,
    destroy: () => {
      bridge.destroy();
      terminal.destroy();
    },
  };
}

function answer(channel: Channel, nonce: string): Promise<[number, string]> {
  const { promise, resolve, reject } = withResolvers<[number, string]>();
  const fail = (reason: string) => reject(new Error(`no named pipes: ${reason}`));
  const timer = setTimeout(() => fail('no answer'), BUILD_TIMEOUT_MS);
  let text = '';
  const read = (chunk: Buffer) => {
    text += chunk.toString('latin1');
    const [, pid, dir] = new RegExp(`\\x1e${nonce} (\\d+) ([^\\x1e]+)\\x1e`).exec(text) ?? [];
    if (pid !== undefined && dir !== undefined) resolve([Number(pid), dir]);
  };
  channel.stdout.on('data', read);
  void channel.ended.then((end: ChannelEnd) => fail(`${text.trim()} ${end.reason}`));
  return promise.finally(() => {
    clearTimeout(timer);
    channel.stdout.off('data', read);
  });
}

async function abandon(
  transport: Transport,
  channel: Channel,
  pid: number,
  dir: string,
): Promise<void> {
  const cleaner = await transport.open(`exec ${shellCommand(`rm -rf "${dir}"; ${endTree(pid)}`)}`);
  cleaner.stdout.resume();
  cleaner.stderr.resume();
  cleaner.stdin.end();
  await cleaner.ended;
  channel.destroy();
}

/** Promise.withResolvers, which Node 20 does not have. */
function withResolvers<T>(): {
  promise: Promise<T>;
  resolve(value: T): void;
  reject(error: unknown): void;
} {
  let resolve: (value: T) => void = () => {};
  let reject: (error: unknown) => void = () => {};
  const promise = new Promise<T>((yes, no) => {
    resolve = yes;
    reject = no;
  });
  return { promise, resolve, reject };
}
