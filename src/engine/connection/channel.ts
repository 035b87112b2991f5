/** What a transport gives: byte pipes to commands on a host. Everything above it is the same for every transport. */
import type { Duplex, Readable, Writable } from 'node:stream';
import { Unreachable } from '../../shared/errors.ts';
import type { Endpoint } from './connection.ts';

/** How a channel ended. */
export interface ChannelEnd {
  /** True when the connection broke, false when the command on the host ended by itself. */
  readonly lost: boolean;
  /** Exit code or signal of the command, or why the connection broke; for messages. */
  readonly reason: string;
}

/** One running command on the host. */
export interface Channel {
  readonly stdin: Writable;
  readonly stdout: Readable;
  /** Empty where the channel has a terminal: there everything comes through stdout. */
  readonly stderr: Readable;
  /** Settles after the last byte of output has been delivered. Never rejects. */
  readonly ended: Promise<ChannelEnd>;
  /** Cuts the channel without waiting. */
  destroy(): void;
}

/** A connected host, as a maker of channels. */
export interface Transport {
  /** Runs a line in the login shell of the user. Throws Unreachable where the host does not take it. */
  open(command: string, options?: OpenOptions): Promise<Channel>;
  /** Opens a TCP stream from the host, or says why the host opens none. Throws Unreachable where it has gone. */
  openStream(to: Endpoint): Promise<Duplex | Refusal>;
  /** Cuts the connection and everything on it. */
  close(): Promise<void>;
}

export interface OpenOptions {
  /** Gives the command a terminal, for programs that ask for a password only there. */
  readonly terminal?: boolean;
}

/** Why a host opens no stream to an address. */
export interface Refusal {
  readonly reason: string;
  /** True where the host forbids streams, or may do so; false where the address does not answer it. */
  readonly isForbidden: boolean;
}

/** The connection broke while a script was waiting or running. */
export class ConnectionLost extends Unreachable {
  /** True when the script may have run, in part or whole; false when not a byte of it was sent. */
  readonly begun: boolean;

  constructor(message: string, { begun, hint }: { begun: boolean; hint?: string }) {
    super(message, hint === undefined ? {} : { hint });
    this.begun = begun;
  }
}
