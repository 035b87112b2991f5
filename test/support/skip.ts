import type { Context } from 'mocha';

/**
 * Skips a test or suite where this computer cannot run it, naming the reason; goes on without one. On CI nothing
 * may be skipped: there it throws.
 */
export function skipFor(reason: string | undefined, context: Context): void {
  if (reason === undefined) return;
  if (process.env['CI']) throw new Error(reason);
  process.stderr.write(`skipped: ${reason}\n`);
  context.skip();
}
