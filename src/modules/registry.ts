/** Every bundled module, loaded when it is first used. Written by `npm run gen`; do not edit. */
import type { Module } from '../engine/module.ts';

/** Loads a module by its canonical name. */
export const registry: Readonly<Record<string, () => Promise<Module>>> = {
  blockinfile: async () => (await import('./blockinfile.ts')).blockinfile as Module,
  command: async () => (await import('./command.ts')).command as Module,
  lineinfile: async () => (await import('./lineinfile.ts')).lineinfile as Module,
  ping: async () => (await import('./ping.ts')).ping as Module,
  raw: async () => (await import('./raw.ts')).raw as Module,
  service: async () => (await import('./service.ts')).service as Module,
  shell: async () => (await import('./shell.ts')).shell as Module,
  stat: async () => (await import('./stat.ts')).stat as Module,
  systemd_service: async () => (await import('./systemd-service.ts')).systemdService as Module,
};

/** Every name that a playbook may use, and the canonical name that it stands for. */
export const moduleNames: Readonly<Record<string, string>> = {
  'ansible.builtin.blockinfile': 'blockinfile',
  'ansible.builtin.command': 'command',
  'ansible.builtin.lineinfile': 'lineinfile',
  'ansible.builtin.ping': 'ping',
  'ansible.builtin.raw': 'raw',
  'ansible.builtin.service': 'service',
  'ansible.builtin.shell': 'shell',
  'ansible.builtin.stat': 'stat',
  'ansible.builtin.systemd': 'systemd_service',
  'ansible.builtin.systemd_service': 'systemd_service',
  'ansible.legacy.blockinfile': 'blockinfile',
  'ansible.legacy.command': 'command',
  'ansible.legacy.lineinfile': 'lineinfile',
  'ansible.legacy.ping': 'ping',
  'ansible.legacy.raw': 'raw',
  'ansible.legacy.service': 'service',
  'ansible.legacy.shell': 'shell',
  'ansible.legacy.stat': 'stat',
  'ansible.legacy.systemd': 'systemd_service',
  'ansible.legacy.systemd_service': 'systemd_service',
  blockinfile: 'blockinfile',
  command: 'command',
  lineinfile: 'lineinfile',
  ping: 'ping',
  raw: 'raw',
  service: 'service',
  shell: 'shell',
  stat: 'stat',
  systemd: 'systemd_service',
  systemd_service: 'systemd_service',
};
