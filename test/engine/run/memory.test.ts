import { expect } from 'chai';
import type { ConnectionSettings } from '../../../src/engine/connection/connection.ts';
import { HostRuntime } from '../../../src/engine/run/host-runtime.ts';

/** Answers that tell which reading they are from. */
function counter() {
  let readings = 0;
  return async () => {
    readings += 1;
    return readings;
  };
}

const connection = { address: '10.0.0.1', user: 'ada' } as ConnectionSettings; // What counts of it here.
const plain = { connection, become: undefined, environment: {} };

describe('what tasks have read of a host', () => {
  it('is read once for all that ask', async () => {
    const memory = new HostRuntime().memoryFor(plain);
    const read = counter();
    const both = [memory.recall('a', read), memory.recall('a', read)];
    expect(await Promise.all(both)).to.deep.equal([1, 1]);
    expect(await memory.recall('b', read)).to.equal(2);
  });

  it('is read again for another user or environment', async () => {
    const runtime = new HostRuntime();
    const read = counter();
    const reaches = [
      plain,
      { ...plain, become: { method: 'sudo', user: 'root' } },
      { ...plain, environment: { KUBECONFIG: '/etc/k' } },
      { ...plain, connection: { ...connection, user: 'eve' } },
    ];
    for (const [i, reach] of reaches.entries()) {
      expect(await runtime.memoryFor(reach).recall('a', read)).to.equal(i + 1);
    }
  });

  it('is read again after a change of the host', async () => {
    const runtime = new HostRuntime();
    const read = counter();
    await runtime.memoryFor(plain).recall('a', read);
    runtime.changed();
    expect(await runtime.memoryFor(plain).recall('a', read)).to.equal(2);
  });

  it('is read again where it could not be read', async () => {
    const memory = new HostRuntime().memoryFor(plain);
    const failed = memory.recall('a', async () => {
      throw new Error('not yet');
    });
    expect(await failed.catch((error: Error) => error.message)).to.equal('not yet');
    expect(await memory.recall('a', async () => 1)).to.equal(1);
  });
});
