import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { connect } from '../../../src/engine/connection/connect.ts';
import type { Connection, Shell } from '../../../src/engine/connection/connection.ts';
import { skipFor } from '../../support/skip.ts';
import { gone, isRunning, LOCAL, rejection } from './settings.ts';

const dir = mkdtempSync(join(tmpdir(), 'tsprov-shells-'));
const ash = join(dir, 'ash');
writeFileSync(ash, '#!/bin/sh\nexec busybox ash "$@"\n', { mode: 0o755 });
after(() => rmSync(dir, { recursive: true }));

const text = (bytes: Buffer | undefined) => String(bytes);

async function* repeat(chunk: Buffer, times: number): AsyncGenerator<Buffer> {
  for (let i = 0; i < times; i++) yield chunk;
}

/** Emits the first line of a script's output, and the promise of its end. */
function firstLine(start: (onOutput: (stream: string, chunk: Buffer) => void) => Promise<unknown>) {
  let end: Promise<unknown> = Promise.resolve();
  const line = new Promise<string>((resolve, reject) => {
    let read = '';
    end = start((_stream, chunk) => {
      read += String(chunk);
      if (read.includes('\n')) resolve(read.trim());
    });
    end.catch(reject);
  });
  return { line, end };
}

for (const path of ['/bin/dash', ash, '/bin/bash']) {
  const name = path === ash ? 'busybox ash' : path;

  describe(`a persistent ${name}`, () => {
    let connection: Connection;
    let shell: Shell;

    before(function () {
      const isMissing = !existsSync('/bin/busybox') && !existsSync('/usr/bin/busybox');
      skipFor(path === ash && isMissing ? 'busybox is not installed' : undefined, this);
    });
    beforeEach(async () => {
      connection = await connect({ ...LOCAL, shell: path });
      shell = await connection.shell();
    });
    afterEach(() => connection.close());

    it('gives stdout, stderr and the exit code of a script', async () => {
      const output = await shell.run('echo out; echo err >&2; exit 3');
      expect([output.code, text(output.stdout), text(output.stderr)]).to.deep.equal([
        3,
        'out\n',
        'err\n',
      ]);
    });

    it('runs many scripts in one frame, each with its own outputs', async () => {
      const outputs = await shell.runAll([
        'echo 1',
        'echo 2 >&2; exit 4',
        'x=5; cd /; set -e; false',
        'echo "$x$#"',
      ]);
      expect(outputs.map(({ code }) => code)).to.deep.equal([0, 4, 1, 0]);
      expect(outputs.map(({ stdout }) => text(stdout))).to.deep.equal(['1\n', '', '', '0\n']);
      expect(connection.frames).to.equal(1);
    });

    it('sends queued scripts at once and answers in order', async () => {
      const outputs = await Promise.all(
        Array.from({ length: 50 }, (_, i) => shell.run(`echo ${i}`)),
      );
      expect(outputs.map(({ stdout }) => Number(text(stdout)))).to.deep.equal(
        Array.from({ length: 50 }, (_, i) => i),
      );
    });

    const contained: Record<string, string> = {
      'ends the shell': 'exit 7',
      'replaces the shell': 'exec sh -c "exit 7"',
      'closes its streams': 'exec >&- 2>&- <&-; exit 7',
      'reads stdin': 'cat; read -r line; exit 7',
      'is not complete': 'if true; then',
      'closes more than it opens': "echo ')'; }; fi; )",
      'begins with a dash': '-x',
      'has quotes, dollars and backslashes': `exit $(printf '%s' "7" '' "\\")`,
      'sets a trap': 'trap "exit 7" EXIT; exit 7',
      'prints a here-document': 'cat <<E\nexit 9\nE\nexit 7',
      'leaves a here-document open': 'cat <<E\nexit 9',
      'kills its process group members by name':
        'trap "" TERM; kill -TERM $$$$ 2>/dev/null; exit 7',
    };
    for (const [what, script] of Object.entries(contained)) {
      it(`survives a script that ${what}`, async () => {
        await shell.run(script, { timeoutMs: 60_000 });
        expect(text((await shell.run('echo still here')).stdout)).to.equal('still here\n');
      });
    }

    it('passes every byte, in both directions', async () => {
      const { stdout } = await shell.run(
        String.raw`printf '\377\000\036\001\n'; printf '%s' 'ü€😀'`,
      );
      expect(stdout.toString('hex')).to.equal(`ff001e010a${Buffer.from('ü€😀').toString('hex')}`);
    });

    it('is not fooled by output that looks like a marker', async () => {
      const marker = String.raw`printf '\036%032d>0\036' 0`;
      const outputs = await shell.runAll([`${marker}; ${marker} >&2; exit 5`, 'set; echo end']);
      expect(outputs[0]?.code).to.equal(5);
      expect(text(outputs[0]?.stdout)).to.equal(`\x1e${'0'.repeat(32)}>0\x1e`);
      expect(text(outputs[1]?.stdout)).to.match(/end\n$/);
    });

    it('keeps what a background process prints out of later scripts', async () => {
      const gate = join(dir, `gate-${name.replaceAll('/', '')}`);
      const wait = `until [ -e '${gate}' ]; do sleep 0.1; done`;
      const left = await shell.run(
        `echo begun; (${wait}; echo late; echo late >&2; sleep 1; echo late) & exit 4`,
      );
      expect([left.code, text(left.stdout), text(left.stderr)]).to.deep.equal([4, 'begun\n', '']);
      const later = [
        await shell.run(`: >'${gate}'; sleep 1; echo 1`),
        ...(await shell.runAll(['sleep 1', 'echo 2; sleep 1'])),
        await shell.run('echo 3; sleep 1; echo 4 >&2'),
      ];
      expect(later.map(({ stdout }) => text(stdout))).to.deep.equal(['1\n', '', '2\n', '3\n']);
      expect(later.map(({ stderr }) => text(stderr))).to.deep.equal(['', '', '', '4\n']);
      expect(connection.frames).to.equal(4);
    });

    it('takes what a background process prints at once for output of the script', async () => {
      const { stdout } = await shell.run('(sleep 0.1; echo late) & echo now');
      expect(text(stdout)).to.equal('now\nlate\n');
    });

    it('does not wait for a background process that prints without end', async () => {
      const script = '(while :; do echo noise; sleep 0.2; done) & echo $!';
      const { stdout } = await shell.run(script);
      const [pid = ''] = text(stdout).split('\n');
      expect(text((await shell.run('echo quiet')).stdout)).to.equal('quiet\n');
      // Nobody reads what it prints, so it ends when it prints.
      await gone(Number(pid));
    });

    it('goes on in the same shell beside a background process that has closed its streams', async () => {
      const [before, daemon, after] = [
        await shell.run('echo $$'),
        await shell.run('sleep 1000 >/dev/null 2>&1 & echo $!'),
        await shell.run('echo $$'),
      ].map(({ stdout }) => Number(text(stdout)));
      process.kill(daemon ?? 0);
      expect(after).to.equal(before);
    });

    it('takes 50 MB of output', async () => {
      const { stdout } = await shell.run(String.raw`head -c 50000000 /dev/zero | tr '\0' '\036'`);
      expect(stdout.length).to.equal(50_000_000);
      expect(stdout.equals(Buffer.alloc(50_000_000, 0x1e))).to.equal(true);
    });

    it('takes a script of 1 MB', async () => {
      const { stdout } = await shell.run(`: ${'x'.repeat(1_000_000)}; echo done`);
      expect(text(stdout)).to.equal('done\n');
    });

    it('ends a script with all its processes when its time is up, and goes on', async () => {
      const { line, end } = firstLine((onOutput) =>
        shell.run('sleep 1000 & echo $!; sleep 1000', { timeoutMs: 3000, onOutput }),
      );
      const next = shell.run('echo next');
      const error = await rejection(end);
      expect(error.message).to.equal('The script timed out after 3 seconds and was ended.');
      await gone(Number(await line));
      expect(text((await next).stdout)).to.equal('next\n');
    });

    it('ends a script that does not heed SIGTERM', async () => {
      const { line, end } = firstLine((onOutput) =>
        shell.run('trap "" TERM; sh -c \'echo $$; trap "" TERM; while :; do sleep 1; done\'', {
          timeoutMs: 3000,
          onOutput,
        }),
      );
      expect((await rejection(end)).message).to.match(/timed out/);
      await gone(Number(await line));
    });

    it('ends a script when its signal is aborted, and rejects with the reason', async () => {
      const control = new AbortController();
      const { line, end } = firstLine((onOutput) =>
        shell.run('echo $$; exec sleep 1000', { signal: control.signal, onOutput }),
      );
      await line;
      control.abort(new Error('stop it'));
      expect((await rejection(end)).message).to.equal('stop it');
      expect(text((await shell.run('echo next')).stdout)).to.equal('next\n');
    });

    it('says so when a script kills the shell, and opens another', async () => {
      const error = await rejection(shell.run('kill -9 $$'));
      expect(error.message).to.equal('The script ended the shell that ran it.');
      expect(text((await shell.run('echo next')).stdout)).to.equal('next\n');
    });

    it('opens one shell for all who wait for it', async () => {
      await rejection(shell.run('kill -9 $$'));
      const outputs = await Promise.all([1, 2, 3].map(() => shell.run('echo $$')));
      expect(new Set(outputs.map(({ stdout }) => text(stdout))).size).to.equal(1);
    });

    it('ends running scripts when the connection is closed', async () => {
      const { line, end } = firstLine((onOutput) =>
        shell.run('sh -c "echo \\$\\$; sleep 1000; :"; :', { onOutput }),
      );
      const pid = Number(await line);
      end.catch(() => {});
      await connection.close();
      await gone(pid);
      expect((await rejection(end)).message).to.equal('The connection to here was closed.');
    });

    it('leaves a daemon alone that an earlier script has started', async () => {
      const { stdout } = await shell.run('sleep 1000 >/dev/null 2>&1 & echo $!');
      await connection.close();
      const pid = Number(text(stdout));
      expect(isRunning(pid)).to.equal(true);
      process.kill(pid);
    });

    it('streams 100 MB into a script without holding it', async () => {
      const before = process.memoryUsage().rss;
      const { stdout } = await shell.pipe('wc -c', repeat(Buffer.alloc(1 << 20, 'exit 9\n'), 100));
      expect(Number(text(stdout))).to.equal(100 << 20);
      expect(process.memoryUsage().rss - before).to.be.below(80 << 20);
    });

    it('does not run what a script leaves of its input', async () => {
      const output = await shell.pipe(
        'head -c 4; exit 6',
        repeat(Buffer.from(`\nexit 9\n`.repeat(10_000)), 20),
      );
      expect([output.code, text(output.stdout)]).to.deep.equal([6, '\nexi']);
    });

    it('ends a script whose input breaks off, so that it takes no half for the whole', async () => {
      async function* broken(): AsyncGenerator<Buffer> {
        yield Buffer.from('half');
        throw new Error('the disk is gone');
      }
      const file = join(dir, `half-${name.replaceAll('/', '')}`);
      const error = await rejection(shell.pipe(`cat >/dev/null; : >'${file}'`, broken()));
      expect(error.message).to.equal('the disk is gone');
      expect(existsSync(file)).to.equal(false);
    });

    it('ends a script with input when its time is up', async () => {
      const { line, end } = firstLine((onOutput) =>
        shell.pipe('cat; sh -c "echo \\$\\$; sleep 1000; :"', repeat(Buffer.from(''), 1), {
          timeoutMs: 3000,
          onOutput,
        }),
      );
      expect((await rejection(end)).message).to.match(/timed out/);
      await gone(Number(await line));
    });

    it('streams 100 MB out of a script', async () => {
      let size = 0;
      for await (const chunk of shell.stream('head -c 100000000 /dev/zero')) size += chunk.length;
      expect(size).to.equal(100_000_000);
    });

    it('throws after a stream whose script fails', async () => {
      const read: string[] = [];
      const error = await rejection(
        (async () => {
          for await (const chunk of shell.stream('echo part; echo why >&2; exit 5'))
            read.push(text(chunk));
        })(),
      );
      expect(read.join('')).to.equal('part\n');
      expect([error.message, error['result']]).to.deep.equal(['why', { rc: 5, stderr: 'why' }]);
    });

    it('ends a script that nobody reads any more', async () => {
      let pid = 0;
      for await (const chunk of shell.stream('echo $$; sleep 1000')) {
        pid = Number(text(chunk));
        break;
      }
      expect(pid).to.be.above(0);
      await gone(pid);
    });

    it('gives scripts English messages and the directories of administration commands', async () => {
      const { stdout } = await shell.run('echo "$LC_ALL"; echo ":$PATH:"');
      expect(text(stdout)).to.match(/^(C|POSIX)\n:.*:\/usr\/sbin:/);
    });
  });
}
