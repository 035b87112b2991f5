import { spawnSync } from 'node:child_process';
import { type Builtin, define } from '../builtin.ts';
import { TemplateError } from '../errors.ts';
import { iterate } from '../iterate.ts';
import { splitLines } from '../methods/string-split.ts';
import type { Runtime, Val } from '../objects.ts';
import { requireText } from '../text.ts';

/** More output of a command than this is refused. */
const MAX_OUTPUT_BYTES = 64 * 1024 * 1024;

/** What a command of the controller's shell prints. Throws TemplateError where it fails. */
function output(runtime: Runtime, term: Val): string {
  const command = requireText(term, 'a command');
  const [cwd] = runtime.host.searchPath;
  const { status, stdout, stderr, error } = spawnSync('/bin/sh', ['-c', command], {
    cwd,
    encoding: 'utf8',
    maxBuffer: MAX_OUTPUT_BYTES,
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  if (error !== undefined)
    throw new TemplateError(`command "${command}" cannot run`, { cause: error });
  if (status === 0) return stdout;
  throw new TemplateError(
    `command "${command}" ended with ${status ?? 'a signal'}: ${stderr.trim()}`,
  );
}

/** Lookups that run commands on the controller. */
export const commandLookups: readonly Builtin[] = [
  define(
    'pipe',
    'terms',
    (runtime, terms) => iterate(terms, runtime).map((term) => output(runtime, term).trimEnd()),
    { impure: true },
  ),
  define(
    'lines',
    'terms',
    (runtime, terms) =>
      iterate(terms, runtime).flatMap((term) => splitLines(output(runtime, term), false)),
    { impure: true },
  ),
];
