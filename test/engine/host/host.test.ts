import {
  chmodSync,
  chownSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { expect } from 'chai';
import { write } from '../../../src/engine/module.ts';
import { TaskError } from '../../../src/shared/errors.ts';
import { sh } from '../../../src/shared/shell.ts';
import { HOSTILE_NAMES, type LocalHost, openLocalHost } from '../../support/local-host.ts';

/** The error with which a promise is rejected. */
async function failure(promise: Promise<unknown>): Promise<TaskError> {
  const error: unknown = await promise.then(
    () => new Error('nothing failed'),
    (reason: unknown) => reason,
  );
  expect(error).to.be.instanceOf(TaskError);
  return error as TaskError; // Asserted in the line above.
}

for (const toolset of ['gnu', 'bash', 'busybox'] as const) {
  describe(`a host with ${toolset} tools`, () => {
    let host: LocalHost;
    const at = (name: string) => join(host.directory, name);
    before(async () => {
      host = await openLocalHost(toolset);
    });
    after(() => host.close());

    it('tells type, mode, owner, size and times of a file', async () => {
      writeFileSync(at('plain'), 'hello\n', { mode: 0o640 });
      const state = await (await host.writer()).path(at('plain'));
      const real = statSync(at('plain'), { bigint: true });
      expect(state).to.include({ type: 'file', mode: 0o640, uid: process.getuid?.(), size: 6 });
      expect(state?.owner).to.equal('root');
      expect(state?.inode).to.equal(Number(real.ino));
      expect(state?.mtime).to.be.closeTo(Number(real.mtimeNs) / 1e9, 1e-6);
    });

    it('tells numbers as names where owner and group have none', async () => {
      writeFileSync(at('nobody-knows'), '');
      chownSync(at('nobody-knows'), 45678, 45679);
      const state = await (await host.writer()).path(at('nobody-knows'));
      expect(state).to.include({ owner: '45678', group: '45679' });
    });

    it('gives nothing for a missing path, also below a file', async () => {
      const reader = await host.writer();
      expect(await reader.path(at('missing'))).to.equal(undefined);
      expect(await reader.path(at('plain/below'))).to.equal(undefined);
      expect(await reader.path('')).to.equal(undefined);
    });

    it('reads links themselves, or what they point to', async () => {
      symlinkSync('plain', at('link'));
      symlinkSync('nowhere\n', at('broken'));
      const reader = await host.writer();
      expect(await reader.path(at('link'))).to.include({ type: 'link', target: 'plain' });
      expect(await reader.path(at('link'), { follow: true })).to.include({ type: 'file', size: 6 });
      expect(await reader.path(at('broken'))).to.include({ target: 'nowhere\n' });
      expect(await reader.path(at('broken'), { follow: true })).to.equal(undefined);
    });

    it('reads any bytes and their digests', async () => {
      const bytes = Buffer.from(Array.from({ length: 1000 }, (_, i) => i % 256));
      writeFileSync(at('bytes'), bytes);
      const reader = await host.writer();
      const sums = {
        md5: 'cbecbdb0fdd5cec1e242493b6008cc79',
        sha1: 'af0b191c2de46fe13fe0908f5a6a4e90e0cafc46',
      } as const;
      for (const algorithm of ['md5', 'sha1'] as const) {
        const state = await reader.path(at('bytes'), { checksum: algorithm, content: true });
        expect(state?.checksum).to.equal(sums[algorithm]);
        expect(state?.content?.equals(bytes)).to.equal(true);
      }
    });

    it('takes every file name literally', async () => {
      for (const name of HOSTILE_NAMES) {
        const writer = await host.writer();
        const path = at(name);
        await writer.perform(write({ path, content: { kind: 'text', text: name }, mode: 0o600 }));
        expect(readFileSync(path, 'utf8'), name).to.equal(name);
        const state = await writer.path(path, { checksum: 'sha1', content: true });
        expect(state?.content?.toString(), name).to.equal(name);
        expect(state?.checksum, name).to.match(/^[0-9a-f]{40}$/);
      }
    });

    it('sends all reads of one tick in one frame', async () => {
      const reader = await host.writer();
      const frames = host.connection.frames;
      const paths = Array.from({ length: 40 }, (_, i) => at(`absent-${i}`));
      const other = await host.writer({ environment: { X: '1' } });
      await Promise.all([
        ...paths.map((path) => reader.path(path)),
        reader.user('root'),
        other.read(sh`echo $X`),
      ]);
      expect(host.connection.frames - frames).to.equal(1);
    });

    it('knows users and groups by name and by number', async () => {
      const reader = await host.writer();
      const root = await reader.user('root');
      expect(root).to.include({ name: 'root', uid: 0, home: '/root' });
      expect(await reader.user('0')).to.deep.equal(root);
      expect(await reader.group('daemon')).to.deep.include({ name: 'daemon', members: [] });
      expect(await reader.user('no-such-user')).to.equal(undefined);
    });

    it('exports the environment of the task to reads and steps', async () => {
      const writer = await host.writer({ environment: { GREETING: "it's $HOME" } });
      expect((await writer.read(sh`printf %s "$GREETING"`)).stdout).to.equal("it's $HOME");
      const step = { kind: 'run', command: sh`printf %s "$GREETING"` } as const;
      expect((await writer.perform(step)).stdout).to.equal("it's $HOME");
    });

    it('refuses an environment name that the shell would not take', async () => {
      const writer = await host.writer({ environment: { 'a b': '1' } });
      const error = await failure(writer.read(sh`true`));
      expect(error.message).to.include('"a b"');
    });

    it('feeds a step its stdin and gives back its output', async () => {
      const writer = await host.writer();
      const output = await writer.perform({
        kind: 'run',
        command: sh`cat; echo oops >&2`,
        stdin: "a 'quoted'\nline without end",
      });
      expect(output).to.deep.equal({
        code: 0,
        stdout: "a 'quoted'\nline without end",
        stderr: 'oops\n',
      });
    });

    it('fails a step with an exit code that is not accepted, and shows what it said', async () => {
      const writer = await host.writer();
      const command = sh`echo out; echo why >&2; exit 3`;
      const error = await failure(writer.perform({ kind: 'run', command, failure: 'no luck' }));
      expect(error.message).to.equal('no luck: why');
      expect(error.result).to.include({ rc: 3, stdout: 'out\n', stderr: 'why\n' });
      const accepted = await writer.perform({ kind: 'run', command, accept: [3] });
      expect(accepted.code).to.equal(3);
    });

    it('carries out many steps in one round trip and keeps their outputs apart', async () => {
      const writer = await host.writer();
      const frames = host.connection.frames;
      const outputs = await writer.performAll([
        { kind: 'run', command: sh`printf 'no newline'; exit 3`, accept: [3] },
        write({ path: at('many'), content: { kind: 'text', text: 'x' }, backup: true }),
        { kind: 'run', command: sh`cat; echo err >&2; exit 9`, accept: 'any', stdin: 'in' },
        write({ path: at('many'), content: { kind: 'text', text: 'y' }, backup: true }),
      ]);
      expect(host.connection.frames - frames).to.equal(1);
      expect(outputs[0]).to.deep.equal({ code: 3, stdout: 'no newline', stderr: '' });
      expect(outputs[1]).to.deep.equal({ code: 0, stdout: '', stderr: '' });
      expect(outputs[2]).to.deep.equal({ code: 9, stdout: 'in', stderr: 'err\n' });
      expect(outputs[3]?.backupFile).to.match(/many\.\d+\./);
      expect(readFileSync(at('many'), 'utf8')).to.equal('y');
    });

    it('streams large content between the steps around it', async () => {
      const writer = await host.writer();
      const large = 'x'.repeat(700_000);
      const files = ['small', large, 'middle', large, 'last'];
      const steps = files.map((text, i) =>
        write({ path: at(`mixed-${i}`), content: { kind: 'text', text } }),
      );
      const frames = host.connection.frames;
      expect(await writer.performAll(steps)).to.have.length(5);
      expect(host.connection.frames - frames).to.be.at.most(7);
      for (const [i, text] of files.entries()) {
        expect(readFileSync(at(`mixed-${i}`), 'utf8') === text, `file ${i}`).to.equal(true);
      }
    });

    it('does nothing after the step that fails', async () => {
      const writer = await host.writer();
      const steps = [
        write({ path: at('before'), content: { kind: 'text', text: 'x' } }),
        { kind: 'run', command: sh`echo why >&2; exit 4` } as const,
        write({ path: at('after'), content: { kind: 'text', text: 'x' } }),
      ];
      const error = await failure(writer.performAll(steps));
      expect(error.result).to.include({ rc: 4, stderr: 'why\n' });
      expect([existsSync(at('before')), existsSync(at('after'))]).to.deep.equal([true, false]);
    });

    it('keeps mode and owner of the file it replaces', async () => {
      writeFileSync(at('kept'), 'old');
      chmodSync(at('kept'), 0o2751);
      chownSync(at('kept'), 1, 2);
      chmodSync(at('kept'), 0o2751);
      const writer = await host.writer();
      await writer.perform(write({ path: at('kept'), content: { kind: 'text', text: 'new' } }));
      const { mode, uid, gid } = statSync(at('kept'));
      expect([mode & 0o7777, uid, gid]).to.deep.equal([0o2751, 1, 2]);
      expect(readFileSync(at('kept'), 'utf8')).to.equal('new');
    });

    it('gives a new file what the umask leaves, or what the step says', async () => {
      const writer = await host.writer();
      const content = { kind: 'text', text: 'x' } as const;
      await writer.perform(write({ path: at('fresh'), content }));
      expect(statSync(at('fresh')).mode & 0o7777).to.equal(0o666 & ~process.umask());
      const wish = { path: at('given'), content, mode: 0o4701, owner: 'daemon', group: '3' };
      await writer.perform(write(wish));
      const { mode, uid, gid } = statSync(at('given'));
      expect([mode & 0o7777, uid, gid]).to.deep.equal([0o4701, 1, 3]);
    });

    it('backs up the old file and says where', async () => {
      writeFileSync(at('saved'), 'old', { mode: 0o600 });
      const writer = await host.writer();
      const content = { kind: 'text', text: 'new' } as const;
      const { backupFile = '' } = await writer.perform(
        write({ path: at('saved'), content, backup: true }),
      );
      expect(backupFile).to.match(/\/saved\.\d+\.\d{4}-\d\d-\d\d@\d\d:\d\d:\d\d~$/);
      expect(readFileSync(backupFile, 'utf8')).to.equal('old');
      expect(statSync(backupFile).mode & 0o777).to.equal(0o600);
      const none = await writer.perform(write({ path: at('unsaved'), content, backup: true }));
      expect(none.backupFile).to.equal(undefined);
    });

    it('leaves the old file when the new one does not pass validation', async () => {
      writeFileSync(at('checked'), 'old');
      const writer = await host.writer();
      const wish = { path: at('checked'), content: { kind: 'text', text: 'new' } as const };
      const error = await failure(
        writer.perform(write({ ...wish, validate: 'sh -c "echo bad >&2; exit 7" %s' })),
      );
      expect(error.message).to.equal('failed to validate: rc:7 error:bad');
      expect(readFileSync(at('checked'), 'utf8')).to.equal('old');
      await writer.perform(write({ ...wish, validate: 'grep -q new %s' }));
      expect(readFileSync(at('checked'), 'utf8')).to.equal('new');
      const unusable = await failure(writer.perform(write({ ...wish, validate: 'true' })));
      expect(unusable.message).to.include('validate must contain %s');
    });

    it('refuses to write over a directory or a link to one', async () => {
      mkdirSync(at('folder'));
      symlinkSync('folder', at('folder-link'));
      for (const name of ['folder', 'folder-link']) {
        const content = { kind: 'text', text: 'x' } as const;
        const writer = await host.writer();
        const error = await failure(writer.perform(write({ path: at(name), content })));
        expect(error.message).to.include('it is a directory');
      }
      expect(readdirSync(at('folder'))).to.deep.equal([]);
    });

    it('replaces a link, not what it points to', async () => {
      writeFileSync(at('pointed-to'), 'old', { mode: 0o604 });
      symlinkSync('pointed-to', at('pointer'));
      const content = { kind: 'text', text: 'new' } as const;
      await (await host.writer()).perform(write({ path: at('pointer'), content }));
      expect(readFileSync(at('pointed-to'), 'utf8')).to.equal('old');
      expect(() => readlinkSync(at('pointer'))).to.throw('EINVAL');
    });

    it('names the missing directory when there is none to write into', async () => {
      const content = { kind: 'text', text: 'x' } as const;
      const writer = await host.writer();
      const error = await failure(writer.perform(write({ path: at('no/where'), content })));
      expect(error.message).to.include(at('no/where'));
      expect(error.hint).to.equal('create the directory first');
    });

    it('writes without base64 on a host that has none', async () => {
      const tools = at('few-tools');
      mkdirSync(tools);
      const source = toolset === 'busybox' ? join(host.directory, '../bin') : '/usr/bin';
      for (const tool of [
        'stat',
        'cp',
        'chmod',
        'chown',
        'touch',
        'sync',
        'mv',
        'rm',
        'rmdir',
        'mkdir',
        'ln',
        'wc',
        'cat',
        'od',
        'sha1sum',
      ]) {
        symlinkSync(join(source, tool), join(tools, tool));
      }
      const other = await openLocalHost(toolset);
      const writer = await other.writer({ environment: { PATH: tools } });
      const bytes = Buffer.from(Array.from({ length: 9000 }, (_, i) => i % 256));
      const path = at('octal');
      const content = { kind: 'base64', base64: bytes.toString('base64') } as const;
      const second = write({ path: `${path}-2`, content: { kind: 'text', text: 'two' } });
      await writer.performAll([{ kind: 'run', command: sh`:` }, write({ path, content }), second]);
      const state = await writer.path(path, { content: true });
      await other.close();
      expect(readFileSync(`${path}-2`, 'utf8')).to.equal('two');
      expect(readFileSync(path).equals(bytes)).to.equal(true);
      expect(state?.content?.equals(bytes)).to.equal(true);
    });

    it('leaves nothing behind: no temporary file, no journal', () => {
      const left = readdirSync(host.directory).filter((name) => name.startsWith('.tsprov'));
      expect(left).to.deep.equal([]);
      expect(existsSync(join(host.home, '.tsprov'))).to.equal(false);
    });
  });
}
