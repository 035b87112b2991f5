/** The commands there are. Each is loaded when it is called, so that `--version` and `--help` answer at once. */

import { table } from '../shared/table.ts';
import type { CommandEntry } from './command-entry.ts';

export const COMMANDS: Readonly<Record<string, CommandEntry>> = table({
  play: {
    summary: 'bring hosts to the state that playbooks declare',
    contactsHosts: true,
    make: async (signal) => (await import('./commands/play.ts')).playCommand(signal),
  },
  run: {
    summary: 'run one module on hosts',
    contactsHosts: true,
    make: async (signal) => (await import('./commands/run.ts')).runCommand(signal),
  },
  facts: {
    summary: 'show the facts of hosts as JSON',
    contactsHosts: true,
    make: async (signal) => (await import('./commands/facts.ts')).factsCommand(signal),
  },
  inventory: {
    summary: 'show hosts, groups and their variables',
    runsPrograms: true,
    make: async () => (await import('./commands/inventory.ts')).inventoryCommand(),
  },
  validate: {
    summary: 'check playbooks, inventory and variables without contacting hosts',
    runsPrograms: true,
    make: async () => (await import('./commands/validate.ts')).validateCommand(),
  },
  doc: {
    summary: 'show the documentation of modules',
    make: async () => (await import('./commands/doc.ts')).docCommand(),
  },
  vault: {
    summary: 'encrypt and decrypt files and values',
    runsPrograms: true,
    make: async () => (await import('./commands/vault.ts')).vaultCommand(),
  },
  completion: {
    summary: 'print a script that completes commands and options in a shell',
    make: async () => (await import('./commands/completion.ts')).completionCommand(COMMANDS),
  },
});
