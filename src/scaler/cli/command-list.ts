/** The commands there are. Each is loaded when it is called, so that `--version` and `--help` answer at once. */
import type { Command } from 'commander';

interface CommandEntry {
  readonly summary: string;
  readonly make: () => Promise<Command>;
}

export const COMMANDS: Readonly<Record<string, CommandEntry>> = {
  run: {
    summary: 'run the operator',
    make: async () => (await import('./commands/run.ts')).runCommand(),
  },
  validate: {
    summary: 'check manifests without a cluster',
    make: async () => (await import('./commands/validate.ts')).validateCommand(),
  },
  simulate: {
    summary: 'show the replicas that values over time would lead to',
    make: async () => (await import('./commands/simulate.ts')).simulateCommand(),
  },
  explain: {
    summary: 'say why a ScaledObject is at its count',
    make: async () => (await import('./commands/explain.ts')).explainCommand(),
  },
  kubeconfig: {
    summary: 'keep the kubeconfig of an operator outside of pods',
    make: async () => (await import('./commands/kubeconfig.ts')).kubeconfigCommand(),
  },
  crds: {
    summary: 'print the CustomResourceDefinitions',
    make: async () => (await import('./commands/crds.ts')).crdsCommand(),
  },
  completion: {
    summary: 'print a script that completes commands in a shell',
    make: async () => (await import('./commands/completion.ts')).completionCommand(COMMANDS),
  },
};
