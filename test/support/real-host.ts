/** Plays single modules on a real host, as the engine does for one task. */

import { connect } from '../../src/engine/connection/connect.ts';
import type { Connection, ConnectionSettings } from '../../src/engine/connection/connection.ts';
import type { Environment } from '../../src/engine/host/environment.ts';
import { PredictedState } from '../../src/engine/host/predicted.ts';
import { HostWriter } from '../../src/engine/host/writer.ts';
import type { Controller, Conversation, Module } from '../../src/engine/module.ts';
import { lazyShell } from '../../src/engine/run/lazy-shell.ts';
import {
  finishModule,
  type ModuleOutcome,
  probeModule,
  runConversation,
} from '../../src/engine/run-module.ts';
import { moduleNames, registry } from '../../src/modules/registry.ts';
import { parseArgs } from '../../src/shared/validate.ts';
import { dict, fakeController } from './fake-conversation.ts';
import type { NodeAccess } from './nodes/node.ts';

export interface PlayOptions {
  /** Stop after the plan; what is planned is kept for later plays with `check`. */
  readonly check?: boolean;
  /** What lies on the controller; nothing unless given. */
  readonly controller?: Controller;
  /** Replaces members of the conversation that the module is given. */
  readonly conversation?: Partial<Conversation>;
}

/** One connected host on which modules can be played. */
export class RealHost {
  readonly #connection: Connection;
  readonly #environment: Environment;
  #predicted = new PredictedState();

  /** `environment` is that of every play. */
  constructor(connection: Connection, environment: Environment = {}) {
    this.#connection = connection;
    this.#environment = environment;
  }

  /** Plays a module by any of its names. Throws what the module throws; verifies after a change. */
  async play(
    name: string,
    given: Readonly<Record<string, unknown>>,
    options: PlayOptions = {},
  ): Promise<ModuleOutcome> {
    const module = await loadModule(name);
    const args = parseArgs(module.args, module, given);
    const writer = this.#writer(options);
    const check = options.check === true;
    // What was foreseen has come, or never will.
    if (!check) this.#predicted = new PredictedState();
    if ('choose' in module) {
      const choice = await module.choose(writer, args, {});
      return this.play(choice.module, choice.args, options);
    }
    if ('run' in module) {
      const talk = { ...this.#conversation(writer, given), ...options.conversation };
      return runConversation(module, talk, args, { check });
    }
    const controller = options.controller ?? fakeController();
    const probed = await probeModule(module, writer, controller, args);
    const predicted = check ? this.#predicted : undefined;
    return finishModule(probed, writer, { check, diff: true, verify: true, predicted });
  }

  /** Round trips so far. */
  get frames(): number {
    return this.#connection.frames;
  }

  close(): Promise<void> {
    return this.#connection.close();
  }

  #writer({ check }: PlayOptions): HostWriter {
    return new HostWriter({
      name: 'here',
      shell: lazyShell(() => this.#connection.shell()),
      environment: this.#environment,
      predicted: check === true ? this.#predicted : undefined,
      gatherFacts: async () => {
        throw new Error('no facts are gathered here');
      },
    });
  }

  #conversation(host: HostWriter, given: Readonly<Record<string, unknown>>): Conversation {
    return {
      host,
      controller: fakeController(),
      signal: new AbortController().signal,
      rawArgs: dict(given),
      variable: () => undefined,
      plainVariable: () => undefined,
      evaluateGiven: () => undefined,
      evaluate: () => undefined,
      test: () => false,
      reconnect: async () => {
        await this.#connection.reset({ reconnect: true });
        await (await this.#connection.shell()).run('true');
      },
      sleep: (ms) => new Promise((done) => setTimeout(done, ms)),
      now: () => new Date(),
      say: () => {},
    };
  }
}

async function loadModule(name: string): Promise<Module> {
  const module = await registry[moduleNames[name] ?? name]?.();
  if (module === undefined) throw new Error(`there is no module ${name}`);
  return module;
}

/** This machine, without any network. */
export function openLocal(): Promise<RealHost> {
  return open({ ...BASE, transport: 'local', name: 'localhost', address: 'localhost' });
}

/** A test machine, over ssh as root. */
export function openNode(node: NodeAccess & { readonly name: string }): Promise<RealHost> {
  return open({
    ...BASE,
    transport: 'ssh',
    name: node.name,
    address: node.address,
    port: node.port,
    user: node.user,
    privateKeyFile: node.keyFile,
    hostKeyChecking: 'off',
  });
}

const BASE = {
  hostKeyChecking: 'off',
  connectTimeoutMs: 60_000,
  retries: 0,
  sshArgs: [],
  shell: '/bin/sh',
} as const;

async function open(settings: ConnectionSettings): Promise<RealHost> {
  return new RealHost(await connect(settings));
}
