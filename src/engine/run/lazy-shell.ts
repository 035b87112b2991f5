import type { RunOptions, Shell } from '../connection/connection.ts';

/** A shell that is asked for at each use: it opens when it is first needed and outlives a reconnection. */
export function lazyShell(open: () => Promise<Shell>): Shell {
  return {
    run: async (script, options) => (await open()).run(script, options),
    runAll: async (scripts, options) => (await open()).runAll(scripts, options),
    pipe: async (script, input, options) => (await open()).pipe(script, input, options),
    stream: (script, options) => streamOf(open, script, options),
    openStream: async (to) => (await open()).openStream(to),
  };
}

async function* streamOf(
  open: () => Promise<Shell>,
  script: string,
  options: RunOptions | undefined,
): AsyncIterable<Buffer> {
  yield* (await open()).stream(script, options);
}
