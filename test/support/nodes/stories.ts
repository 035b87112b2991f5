/** What modules do on a real machine, told as data. */
import { expect } from 'chai';
import type { RealHost } from '../real-host.ts';
import type { TestNode } from './node.ts';

export type Members = Readonly<Record<string, unknown>>;

/** Each is predicted, done, and done again; then `look` prints `seen`. */
export interface Story {
  readonly title: string;
  readonly module: string;
  readonly args: Members;
  readonly look: string;
  readonly seen: string;
}

type Stage = Pick<TestNode, 'exec'> & {
  readonly host: RealHost;
  readonly options?: Parameters<RealHost['play']>[2];
};

/** Lives through a story. Throws AssertionError where it goes another way. */
export async function live(stage: Stage, { module, args, look, seen }: Story): Promise<void> {
  const { host, options } = stage;
  const predicted = await host.play(module, args, { ...options, check: true });
  expect(predicted.result, 'check run').to.include({ changed: true });
  const done = await host.play(module, args, options);
  expect(done.result, 'run').to.include({ changed: true });
  expect(done.diff, 'diff').to.deep.equal(predicted.diff);
  expect((await host.play(module, args, options)).result, 'again').to.include({ changed: false });
  expect((await stage.exec(look)).stdout).to.equal(seen);
}

/** The message with which a module fails, or undefined where it does not. */
export function failureIn(
  host: RealHost,
  module: string,
  args: Members,
): Promise<string | undefined> {
  return host.play(module, args).then(
    () => undefined,
    (thrown: Error) => thrown.message,
  );
}
