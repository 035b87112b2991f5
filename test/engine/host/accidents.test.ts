import { execFileSync } from 'node:child_process';
import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { expect } from 'chai';
import type { HostWriter } from '../../../src/engine/host/writer.ts';
import { type Content, type Step, write } from '../../../src/engine/module.ts';
import { TaskError } from '../../../src/shared/errors.ts';
import { type LocalHost, openLocalHost } from '../../support/local-host.ts';
import { expectStreaming, zeros } from '../../support/peak-memory.ts';

const MEGABYTE = 1024 * 1024;

function mount(...args: string[]): void {
  execFileSync('mount', args, { stdio: 'pipe' });
}

function textFile(path: string, text: string): Step {
  return write({ path, content: { kind: 'text', text } });
}

async function failure(promise: Promise<unknown>): Promise<TaskError> {
  const error: unknown = await promise.then(
    () => new Error('nothing failed'),
    (reason: unknown) => reason,
  );
  expect(error).to.be.instanceOf(TaskError);
  return error as TaskError; // Asserted in the line above.
}

describe('a write that meets an accident', () => {
  let host: LocalHost;
  let writer: HostWriter;
  const mounts: string[] = [];
  const at = (name: string) => join(host.directory, name);
  const mountPoint = (name: string) => {
    mkdirSync(at(name));
    mounts.unshift(at(name));
    return at(name);
  };

  beforeEach(async () => {
    host = await openLocalHost();
    writer = await host.writer();
  });
  afterEach(async () => {
    for (const each of mounts.splice(0)) execFileSync('umount', [each], { stdio: 'pipe' });
    await host.close();
  });

  it('leaves the old file and nothing else on a full disk', async () => {
    const disk = mountPoint('full');
    mount('-t', 'tmpfs', '-o', 'size=64k', 'tmpfs', disk);
    await writer.perform(textFile(join(disk, 'f'), 'old'));
    const error = await failure(writer.perform(textFile(join(disk, 'f'), 'x'.repeat(200_000))));
    expect(error.message).to.include(join(disk, 'f')).and.include('No space left on device');
    expect(error.hint).to.equal('make room on the file system');
    expect(readdirSync(disk)).to.deep.equal(['f']);
    expect(readFileSync(join(disk, 'f'), 'utf8')).to.equal('old');
  });

  it('leaves nothing on a full disk when the content is streamed', async () => {
    const disk = mountPoint('full');
    mount('-t', 'tmpfs', '-o', 'size=64k', 'tmpfs', disk);
    const error = await failure(writer.perform(textFile(join(disk, 'f'), 'x'.repeat(MEGABYTE))));
    expect(error.message).to.include('No space left on device');
    expect(readdirSync(disk)).to.deep.equal([]);
  });

  it('says that a file system is read-only', async () => {
    const disk = mountPoint('fixed');
    mount('-t', 'tmpfs', 'tmpfs', disk);
    writeFileSync(join(disk, 'f'), 'old');
    mount('-o', 'remount,ro', disk);
    const error = await failure(writer.perform(textFile(join(disk, 'f'), 'new')));
    expect(error.message).to.include('Read-only file system');
    expect(error.hint).to.equal('mount the file system read-write');
    expect(readFileSync(join(disk, 'f'), 'utf8')).to.equal('old');
  });

  it('overwrites a mount point in place only where that is allowed', async () => {
    writeFileSync(at('real'), 'old');
    writeFileSync(at('mounted'), '');
    mount('--bind', at('real'), at('mounted'));
    mounts.unshift(at('mounted'));
    const step = textFile(at('mounted'), 'new');
    const error = await failure(writer.perform(step));
    expect(error.hint).to.equal('set unsafe_writes if the file is a mount point');
    expect(readFileSync(at('real'), 'utf8')).to.equal('old');
    await writer.perform({ ...step, unsafeWrites: true } as Step);
    expect(readFileSync(at('real'), 'utf8')).to.equal('new');
    expect(readdirSync(host.directory).sort()).to.deep.equal(['mounted', 'real']);
  });

  it('overwrites in place where the directory takes no new file, and gives what was asked for', async () => {
    writeFileSync(at('real'), 'old', { mode: 0o600 });
    const fixed = mountPoint('fixed');
    mount('-t', 'tmpfs', 'tmpfs', fixed);
    writeFileSync(join(fixed, 'f'), '');
    mount('-o', 'remount,ro', fixed);
    mount('--bind', at('real'), join(fixed, 'f'));
    mounts.unshift(join(fixed, 'f'));
    const step = { ...textFile(join(fixed, 'f'), 'new'), mode: 0o640, owner: '65534' } as Step;
    const error = await failure(writer.perform(step));
    expect(error.message).to.include('its directory takes no new file');
    await writer.perform({ ...step, unsafeWrites: true } as Step);
    expect(readFileSync(at('real'), 'utf8')).to.equal('new');
    const { mode, uid } = statSync(at('real'));
    expect([mode & 0o7777, uid]).to.deep.equal([0o640, 65534]);
  });

  it('makes no new file in place where the directory takes none', async () => {
    const fixed = mountPoint('fixed');
    mount('-t', 'tmpfs', '-o', 'ro', 'tmpfs', fixed);
    const step = { ...textFile(join(fixed, 'f'), 'new'), unsafeWrites: true } as Step;
    expect((await failure(writer.perform(step))).message).to.include('takes no new file');
  });

  it('removes its temporary file when the script is ended', async () => {
    const interrupted = new AbortController();
    const slow = await host.writer({ run: { signal: interrupted.signal } });
    writeFileSync(at('f'), 'old');
    const step = {
      ...textFile(at('f'), 'new'),
      validate: `sh -c "touch ${at('begun')}; sleep 60" %s`,
    };
    const ended = slow.perform(step as Step).catch((error: unknown) => error);
    await appears(at('begun'));
    interrupted.abort(new Error('stopped by hand'));
    await ended;
    await disappears(() => readdirSync(host.directory).some((name) => name.startsWith('.tsprov')));
    expect(readFileSync(at('f'), 'utf8')).to.equal('old');
  });

  it('is swept by the next connection when everything was killed at once', async () => {
    const name = "it's\n$(id)";
    mkdirSync(at(name));
    const temporary = join(at(name), '.tsprov-0123456789abcdef');
    writeFileSync(temporary, 'half');
    const journal = join(host.home, '.tsprov');
    mkdirSync(journal);
    symlinkSync(temporary, join(journal, '999999999-0123456789abcdef'));
    const kept = at('.tsprov-of-a-running-write');
    writeFileSync(kept, 'half');
    const [boot] = readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').split('-');
    symlinkSync(kept, join(journal, `${process.pid}.${boot}-fedcba9876543210`));
    const before = at('.tsprov-of-a-boot-before');
    writeFileSync(before, 'half');
    symlinkSync(before, join(journal, `${process.pid}.00000000-0123456789abcdef`));
    const precious = at('precious');
    writeFileSync(precious, 'mine');
    symlinkSync(precious, join(journal, '999999999-forged'));
    const next = await openLocalHost('gnu', { home: host.home });
    await (await next.writer({ environment: { HOME: '/nowhere' } })).user('root');
    await next.close();
    expect(existsSync(temporary)).to.equal(false);
    expect(existsSync(before), 'of a process with the same number').to.equal(false);
    expect(existsSync(kept)).to.equal(true);
    expect(existsSync(precious)).to.equal(true);
    expect(readdirSync(journal)).to.deep.equal([`${process.pid}.${boot}-fedcba9876543210`]);
  });

  it('streams files without holding them in memory', () =>
    expectStreaming(async (sizeBytes) => {
      const content = zeros(at('large'), sizeBytes);
      await writer.perform(write({ path: at('copy'), content, mode: 0o600 }));
      let received = 0;
      for await (const chunk of writer.download(at('copy'))) received += chunk.length;
      expect(received).to.equal(sizeBytes);
      expect(statSync(at('copy')).mode & 0o777).to.equal(0o600);
    }));

  it('refuses a local file that changes while it is sent', async () => {
    writeFileSync(at('large'), Buffer.alloc(MEGABYTE, 'a'));
    const content: Content = {
      kind: 'local',
      file: at('large'),
      sizeBytes: MEGABYTE,
      sha1: '0'.repeat(40),
    };
    const error = await failure(writer.perform(write({ path: at('copy'), content })));
    expect(error.message).to.include('its content did not arrive whole');
    expect(existsSync(at('copy'))).to.equal(false);
  });
});

/** Resolves when a path exists. */
async function appears(path: string): Promise<void> {
  while (!existsSync(path)) await new Promise((done) => setTimeout(done, 10));
}

async function disappears(isThere: () => boolean): Promise<void> {
  while (isThere()) await new Promise((done) => setTimeout(done, 10));
}
