import { connect } from 'node:net';
import { expect } from 'chai';
import { beanstalkd } from '../../src/scaler/triggers/beanstalkd.ts';
import { freePort } from '../support/free-port.ts';
import { readTrigger } from '../support/scaler/read-trigger.ts';
import { skipFor } from '../support/skip.ts';
import {
  makeServerDirectory,
  type RunningServer,
  type ServerDirectory,
  startServer,
  whyNot,
} from '../support/sources/server.ts';

describe('beanstalkd: a real server', () => {
  let directory: ServerDirectory | undefined;
  let running: RunningServer | undefined;
  let port: number;
  before(async function () {
    skipFor(whyNot(['beanstalkd'], 'beanstalkd'), this);
    directory = await makeServerDirectory('beanstalkd');
    port = await freePort();
    running = await startServer(directory, {
      file: 'beanstalkd',
      args: ['-l', '127.0.0.1', '-p', String(port)],
      probe: () => say(port, 'quit\r\n'),
    });
    await say(
      port,
      'use mail\r\nput 1 0 60 1\r\na\r\nput 1 0 60 1\r\nb\r\nput 1 600 60 1\r\nc\r\nquit\r\n',
    );
  });
  after(async () => {
    await running?.stop();
    await directory?.remove();
  });

  const read = (metadata: Record<string, string>) =>
    readTrigger(beanstalkd, {
      metadata: { server: `127.0.0.1:${port}`, tube: 'mail', value: '5', ...metadata },
    });

  it('counts the jobs of a tube', async () => {
    expect(await read({})).to.deep.equal({ value: 2, isActive: true });
    expect(await read({ includeDelayed: 'true' })).to.deep.equal({ value: 3, isActive: true });
    expect(await read({ activationValue: '2' })).to.deep.equal({ value: 2, isActive: false });
  });

  it('counts no jobs of a tube that nobody uses', async () => {
    expect(await read({ tube: 'none' })).to.deep.equal({ value: 0, isActive: false });
  });

  it('fails with a name that is none', async () => {
    expect(await read({ tube: 'a b' })).to.match(/answers "(?:BAD_FORMAT|UNKNOWN_COMMAND)"/);
  });
});

/** Says lines, and waits until the server ends the connection. */
function say(port: number, lines: string): Promise<void> {
  return new Promise((resolve, reject) => {
    const socket = connect(port, '127.0.0.1', () => socket.write(lines));
    socket.on('error', reject);
    socket.on('close', () => resolve());
    socket.resume();
  });
}
