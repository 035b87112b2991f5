import {
  chmodSync,
  chownSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { connect } from '../../../src/engine/connection/connect.ts';
import type { Connection } from '../../../src/engine/connection/connection.ts';
import { HostWriter } from '../../../src/engine/host/writer.ts';
import { type Step, write } from '../../../src/engine/module.ts';
import { TaskError, Unreachable } from '../../../src/shared/errors.ts';
import { HOSTILE_NAMES } from '../../support/local-host.ts';
import { expectStreaming, zeros } from '../../support/peak-memory.ts';
import { needSshd, type Sshd, startSshd } from '../../support/sshd.ts';

describe(`a host over ssh`, () => {
  let sshd: Sshd;
  let connection: Connection;
  let root: string;
  const at = (name: string) => join(root, name);

  before(async function () {
    needSshd(this);
    sshd = await startSshd();
    root = realpathSync(mkdtempSync(join(tmpdir(), 'tsprov-test-')));
    chmodSync(root, 0o755);
    connection = await open();
  });
  after(async () => {
    await connection?.close();
    await sshd?.stop();
    if (root !== undefined) rmSync(root, { recursive: true, force: true });
  });

  function open(): Promise<Connection> {
    return connect({
      ...{ transport: 'ssh', name: 'node', address: '127.0.0.1', port: sshd.port },
      ...{
        user: 'root',
        privateKeyFile: sshd.keyFile,
        hostKeyChecking: 'off',
        connectTimeoutMs: 60_000,
      },
      ...{ retries: 0, sshArgs: [], shell: '/bin/sh' },
    });
  }

  async function writerOn(used: Connection, user?: string): Promise<HostWriter> {
    const become = user === undefined ? undefined : { method: 'sudo', user };
    const shell = await used.shell(become);
    return new HostWriter({ name: 'node', shell, gatherFacts: async () => new Map() });
  }

  it('takes every file name literally', async () => {
    const writer = await writerOn(connection);
    for (const name of HOSTILE_NAMES) {
      await writer.perform(textFile(at(name), name));
      const state = await writer.path(at(name), { content: true, checksum: 'sha256' });
      expect(state?.content?.toString(), name).to.equal(name);
    }
  });

  it('asks everything of a tick in one round trip', async () => {
    const writer = await writerOn(connection);
    const frames = connection.frames;
    await Promise.all([
      ...Array.from({ length: 100 }, (_, i) => writer.path(at(`absent-${i}`))),
      writer.user('root'),
      writer.group('root'),
    ]);
    expect(connection.frames - frames).to.equal(1);
  });

  it('streams files without holding them in memory', async () => {
    const writer = await writerOn(connection);
    await expectStreaming(async (sizeBytes) => {
      await writer.perform(write({ path: at('copy'), content: zeros(at('large'), sizeBytes) }));
      expect(statSync(at('copy')).size).to.equal(sizeBytes);
    });
  });

  it('leaves the old file whole when the connection is lost in the middle', async () => {
    writeFileSync(at('f'), 'old');
    const lost = await open();
    const writer = await writerOn(lost);
    const validate = `sh -c "touch ${at('begun')}; sleep 30" %s`;
    const step = { ...textFile(at('f'), 'new'), validate } as Step;
    const ended = writer.perform(step).catch((reason: unknown) => reason);
    await until(() => readdirSync(root).includes('begun'));
    sshd.dropSessions();
    expect(await ended).to.be.instanceOf(Unreachable);
    expect(writer.touched).to.equal(true);
    await lost.close();
    connection = await open();
    await until(() => !readdirSync(root).some((name) => name.startsWith('.tsprov')));
    expect(readFileSync(at('f'), 'utf8')).to.equal('old');
  });

  it('says what a user may not write', async () => {
    writeFileSync(at('fixed'), 'old');
    const writer = await writerOn(connection, 'daemon');
    const error: unknown = await writer
      .perform(textFile(at('fixed'), 'new'))
      .catch((reason: unknown) => reason);
    expect(error).to.be.instanceOf(TaskError);
    const { message, hint } = error as TaskError; // Asserted in the line above.
    expect(message).to.include(at('fixed')).and.include('Permission denied');
    expect(hint).to.equal('become a user who may write there');
    expect(readFileSync(at('fixed'), 'utf8')).to.equal('old');
  });

  it('lets a user write what is theirs', async () => {
    const home = at('theirs');
    mkdirSync(home);
    chownSync(home, 1, 1);
    const writer = await writerOn(connection, 'daemon');
    await writer.perform(textFile(join(home, 'f'), 'one'));
    await writer.perform({ ...textFile(join(home, 'f'), 'two'), mode: 0o640 } as Step);
    const { uid, mode } = statSync(join(home, 'f'));
    expect([uid, mode & 0o777]).to.deep.equal([1, 0o640]);
    expect(readFileSync(join(home, 'f'), 'utf8')).to.equal('two');
  });
});

function textFile(path: string, text: string): Step {
  return write({ path, content: { kind: 'text', text } });
}

async function until(isSo: () => boolean): Promise<void> {
  while (!isSo()) await new Promise((done) => setTimeout(done, 10));
}
