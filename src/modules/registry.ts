/** Every bundled module, loaded when it is first used. Written by `npm run gen`; do not edit. */
import type { Module } from '../engine/module.ts';

/** Loads a module by its canonical name. */
export const registry: Readonly<Record<string, () => Promise<Module>>> = {
  ping: async () => (await import('./ping.ts')).ping as Module,
};

/** Every name that a playbook may use, and the canonical name that it stands for. */
export const moduleNames: Readonly<Record<string, string>> = {
  'ansible.builtin.ping': 'ping',
  'ansible.legacy.ping': 'ping',
  ping: 'ping',
};
