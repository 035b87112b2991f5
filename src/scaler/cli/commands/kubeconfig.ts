/** `tsprov-scaler kubeconfig`: keeps the kubeconfig with which the operator runs outside of pods. */
import { Command, InvalidArgumentError, Option } from 'commander';
import { ApiError, ApiUnreachable } from '../../../kubernetes/api-error.ts';
import { parseDuration } from '../../../shared/duration.ts';
import { InvalidInput } from '../../../shared/errors.ts';
import { keepKubeconfig, lookAtKubeconfig } from '../../account/keep-kubeconfig.ts';
import type { Verdict } from '../../account/kept-kubeconfig.ts';
import { namesFor } from '../../names.ts';
import { version } from '../../version.ts';
import { addCompatibility, type CompatibilityFlags } from '../options.ts';

interface Flags extends CompatibilityFlags {
  readonly kubeconfig?: string;
  readonly context?: string;
  readonly namespace?: string;
  readonly serviceAccount?: string;
  readonly lifetime: number;
  readonly check: boolean;
}

export function kubeconfigCommand(): Command {
  const command = new Command()
    .description(
      'Keep a kubeconfig of the operator’s service account: made by an administrator, renewed by itself in time.',
    )
    .argument('<file>', 'the kubeconfig that is kept; readable for its owner alone')
    .option('--kubeconfig <file>', 'that of an administrator (default: KUBECONFIG)')
    .option('--context <name>', 'context of the administrator’s kubeconfig')
    .option('--namespace <name>', 'namespace of the service account')
    .option('--service-account <name>', 'its name')
    .addOption(
      new Option('--lifetime <time>', 'life of a token; after a third of it comes the next')
        .argParser(parseLifetime)
        .default(parseLifetime('720h'), '720h'),
    )
    .option('--check', 'write nothing, say what would be done', false);
  return addCompatibility(command).action(keep);
}

async function keep(file: string, flags: Flags): Promise<void> {
  const { kubeconfig, context, lifetime: lifetimeMs, check } = flags;
  const { manager, namespace } = namesFor(flags.compat);
  const keeping = {
    file,
    account: { namespace: flags.namespace ?? namespace, name: flags.serviceAccount ?? manager },
    lifetimeMs,
    administrator: { ...(kubeconfig && { kubeconfig }), ...(context && { context }) },
    userAgent: `${manager}-kubeconfig/${version()}`,
    nowMs: () => Date.now(),
  };
  try {
    const verdict = await (check ? lookAtKubeconfig(keeping) : keepKubeconfig(keeping));
    process.stdout.write(`${check ? foreseen(verdict) : done(verdict)}\n`);
  } catch (error) {
    const isAnswer = error instanceof ApiError || error instanceof ApiUnreachable;
    throw isAnswer ? explained(error, kubeconfig) : error;
  }
}

function explained(error: ApiError | ApiUnreachable, kubeconfig: string | undefined): InvalidInput {
  const hint = `does ${kubeconfig ?? 'the kubeconfig'} belong to an administrator, and is the scaler installed?`;
  const message = `no token can be had: ${error.message}`;
  return error instanceof ApiError
    ? InvalidInput.at(undefined, message, hint)
    : new InvalidInput([{ message }], { cause: error });
}

function foreseen(verdict: Verdict): string {
  if (verdict.action === 'keep') return kept(verdict);
  return `${verdict.action === 'make' ? 'to be made' : 'to be renewed'}: ${verdict.reason}`;
}

function done(verdict: Verdict): string {
  if (verdict.action === 'keep') return kept(verdict);
  return `${verdict.action === 'make' ? 'made' : 'renewed'}: ${verdict.reason}`;
}

function kept({ until }: Extract<Verdict, { action: 'keep' }>): string {
  return `kept: it is renewed from ${until.toISOString()} on`;
}

function parseLifetime(text: string): number {
  const milliseconds = parseDuration(text);
  if (milliseconds !== undefined && milliseconds >= 600_000) return milliseconds;
  throw new InvalidArgumentError('a lifetime is written as 720h, and is 10m at least');
}
