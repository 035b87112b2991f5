/** Opens a shell on a host, as the login user or as another. */
import { randomBytes } from 'node:crypto';
import { TaskError, Unreachable } from '../../shared/errors.ts';
import { becomeCommand, becomeDialogue, needsTerminal, wantsTerminal } from './become.ts';
import { persistentShell, plainShell, shellCommand } from './bootstrap.ts';
import type { Channel, Transport } from './channel.ts';
import type { Become } from './connection.ts';
import { awaitReady, type Dialogue } from './ready.ts';
import { buildBridge, joined } from './terminal-bridge.ts';

/** Which shell to open. */
export interface ShellSpec {
  /** Name of the host, for messages. */
  readonly name: string;
  /** Path of the shell on the host. */
  readonly shell: string;
  readonly become: Become | undefined;
  /** How long the host may take to answer. */
  readonly timeoutMs: number;
}

/** `persistent` for frames, `plain` for one script that takes the rest of the channel as its input. */
export type ShellKind = 'persistent' | 'plain';

/**
 * Opens a channel with a shell that is ready to read from it.
 * Throws Unreachable when the host gives no shell, TaskError when it refuses to become the user.
 */
export async function openShell(
  transport: Transport,
  kind: ShellKind,
  spec: ShellSpec,
): Promise<Channel> {
  const { become } = spec;
  if (!/^[\w./+-]+$/.test(spec.shell)) {
    throw new TaskError(`The shell "${spec.shell}" is not a plain path.`, {
      hint: 'correct ansible_shell_executable',
    });
  }
  if (become === undefined) return openPlain(transport, kind, spec);
  if (needsTerminal(become)) return openOnTerminal(transport, kind, spec, become);
  try {
    return await openPlain(transport, kind, spec);
  } catch (error) {
    if (!wantsTerminal(error)) throw error;
    return openOnTerminal(transport, kind, spec, become);
  }
}

const BOOT = { persistent: persistentShell, plain: plainShell };

const newNonce = () => randomBytes(16).toString('hex');

async function openPlain(transport: Transport, kind: ShellKind, spec: ShellSpec): Promise<Channel> {
  const nonce = newNonce();
  const { become, name } = spec;
  const boot = shellCommand(BOOT[kind](spec.shell, nonce));
  const command = become === undefined ? `exec ${boot}` : becomeCommand(become, boot, nonce);
  const channel = await transport.open(command);
  const dialogue = become === undefined ? loginDialogue(name) : becomeDialogue(become, nonce, name);
  return guarded(channel, () =>
    awaitReady(channel, channel, nonce, { dialogue, timeoutMs: spec.timeoutMs }),
  );
}

async function openOnTerminal(
  transport: Transport,
  kind: ShellKind,
  spec: ShellSpec,
  become: Become,
): Promise<Channel> {
  const nonce = newNonce();
  const bridge = await buildBridge(transport, newNonce());
  const boot = shellCommand(bridge.redirect + BOOT[kind](spec.shell, nonce));
  try {
    const terminal = await transport.open(becomeCommand(become, boot, nonce), {
      terminal: true,
    });
    const waiting = {
      dialogue: becomeDialogue(become, nonce, spec.name),
      timeoutMs: spec.timeoutMs,
    };
    await guarded(terminal, () => awaitReady(bridge.channel, terminal, nonce, waiting));
    terminal.stdout.resume();
    return joined(bridge.channel, terminal);
  } catch (error) {
    await bridge.abandon();
    throw error;
  }
}

async function guarded(channel: Channel, work: () => Promise<void>): Promise<Channel> {
  try {
    await work();
    return channel;
  } catch (error) {
    channel.destroy();
    throw error;
  }
}

/** The dialogue where nobody has to become anybody. */
function loginDialogue(name: string): Dialogue {
  const refusal = (text: string, reason: string) =>
    new Unreachable(`${name} gives the user no shell: ${text || reason}`, {
      hint: 'log in by hand: the user needs a login shell other than nologin, and login scripts that do not end it',
    });
  return {
    hear: () => undefined,
    refusal,
    silence: (text, seconds) => refusal(text, `no answer within ${seconds} seconds`),
  };
}
