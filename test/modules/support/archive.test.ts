import { execFileSync } from 'node:child_process';
import {
  chmodSync,
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { expect } from 'chai';
import type { Controller } from '../../../src/engine/module.ts';
import { finishModule, type ModuleOutcome, probeModule } from '../../../src/engine/run-module.ts';
import { unarchive } from '../../../src/modules/unarchive.ts';
import { parseArgs } from '../../../src/shared/validate.ts';
import { fakeController } from '../../support/fake-conversation.ts';
import { type LocalHost, openLocalHost } from '../../support/local-host.ts';

const ARCHIVES: Readonly<Record<string, readonly string[]>> = {
  'a.tar': ['tar', '-cf'],
  'a.tar.gz': ['tar', '-czf'],
  'a.tar.bz2': ['tar', '-cjf'],
  'a.tar.xz': ['tar', '-cJf'],
  'a.tar.zst': ['tar', '--zstd', '-cf'],
  'a.zip': ['zip', '-qry'],
};
const LONG = `${'long-'.repeat(25)}name`;

for (const toolset of ['gnu', 'busybox'] as const) {
  describe(`unarchive with the tools of ${toolset}`, () => {
    let host: LocalHost;
    let controller: Controller;
    const at = (name: string) => join(host.directory, name);

    before(async () => {
      host = await openLocalHost(toolset);
      controller = {
        ...fakeController(),
        findFile: (_kind, name) => at(name),
        readFile: (file) => readFileSync(file),
      };
      mkdirSync(at('tree/d'), { recursive: true });
      writeFileSync(at('tree/a b'), 'one\n');
      writeFileSync(at('tree/d/run'), 'two\n', { mode: 0o755 });
      writeFileSync(at(`tree/d/${LONG}`), 'three\n');
      symlinkSync('a b', at('tree/link'));
      for (const [name, [program = '', ...options]] of Object.entries(ARCHIVES)) {
        execFileSync(program, [...options, at(name), '.'], { cwd: at('tree') });
      }
    });
    after(() => host.close());

    async function play(
      given: Readonly<Record<string, unknown>>,
      options: boolean | { readonly environment: Readonly<Record<string, string>> } = false,
    ): Promise<ModuleOutcome> {
      const check = options === true;
      const writer = await host.writer(typeof options === 'object' ? options : {});
      const args = parseArgs(unarchive.args, unarchive, given);
      const probed = await probeModule(unarchive, writer, controller, args);
      return finishModule(probed, writer, { check, diff: true, verify: true });
    }

    function target(name: string): string {
      mkdirSync(at(name));
      return at(name);
    }

    for (const name of Object.keys(ARCHIVES).filter(
      (each) => toolset === 'gnu' || !each.endsWith('zst'),
    )) {
      for (const remote_src of [false, true]) {
        it(`unpacks ${name} of ${remote_src ? 'the host' : 'the controller'} once`, async () => {
          const dest = target(`out-${name}-${remote_src}`);
          const given = { src: remote_src ? at(name) : name, dest, remote_src };
          expect((await play(given, true)).result).to.include({ changed: true });
          expect(readdirSync(dest)).to.deep.equal([]);
          expect((await play(given)).result).to.include({ changed: true });
          expect(readdirSync(dest).sort()).to.deep.equal(['a b', 'd', 'link']);
          expect(readFileSync(join(dest, 'd', LONG), 'utf8')).to.equal('three\n');
          expect(lstatSync(join(dest, 'd/run')).mode & 0o777).to.equal(0o755);
          expect((await play(given)).result).to.include({ changed: false });
        });
      }
    }

    it('does without a directory for temporary files', async () => {
      const [dest, tools] = [target('cramped'), target('cramped-tools')];
      const all = host.environment['PATH'] ?? process.env['PATH'];
      const only = `#!/bin/sh\ncase $2 in ${dest}/*) PATH=${all} exec mktemp "$@";; esac\nexit 1\n`;
      writeFileSync(join(tools, 'mktemp'), only, { mode: 0o755 });
      const environment = { PATH: `${tools}:${all}` };
      const given = { src: at('a.tar.gz'), dest, remote_src: true };
      expect((await play(given, { environment })).result).to.include({ changed: true });
      expect(readdirSync(dest).sort()).to.deep.equal(['a b', 'd', 'link']);
      expect((await play(given, { environment })).result).to.include({ changed: false });
    });

    it('takes no member of an archive for an option', async () => {
      const marked = at('marked');
      const include = [`--checkpoint-action=exec=touch ${marked}`, '--checkpoint=1'];
      const given = { src: 'a.tar.gz', dest: target('members'), include };
      await play(given).catch(() => undefined);
      expect(readdirSync(host.directory)).not.to.include('marked');
    });

    it('takes modes of a zip archive as its unzip leaves them', async () => {
      const tree = target('open');
      writeFileSync(join(tree, 'file'), 'x');
      chmodSync(join(tree, 'file'), 0o777);
      execFileSync('zip', ['-qr', at('open.zip'), '.'], { cwd: tree });
      for (const [src, remote_src] of [
        ['open.zip', false],
        [at('open.zip'), true],
      ] as const) {
        const given = { src, dest: target(`open-${remote_src}`), remote_src };
        expect((await play(given)).result).to.include({ changed: true });
        expect((await play(given)).result).to.include({ changed: false });
      }
    });

    it('unpacks again what was changed, and leaves what is newer where told', async () => {
      const dest = target('changed');
      const given = { src: 'a.tar.gz', dest };
      await play(given);
      writeFileSync(join(dest, 'a b'), 'new\n');
      expect((await play({ ...given, keep_newer: true }, true)).result).to.include({
        changed: false,
      });
      expect((await play(given)).result).to.include({ changed: true });
      expect(readFileSync(join(dest, 'a b'), 'utf8')).to.equal('one\n');
    });

    it('gives everything a mode', async () => {
      const given = { src: 'a.tar', dest: target('modes'), mode: 'u=rwX,go=' };
      expect((await play(given)).result).to.include({ changed: true });
      expect(lstatSync(at('modes/d')).mode & 0o777).to.equal(0o700);
      expect(lstatSync(at('modes/a b')).mode & 0o777).to.equal(0o600);
      expect((await play(given)).result).to.include({ changed: false });
    });

    it('unpacks only what is to be included, and strips leading parts of names', async () => {
      const given = { src: 'a.tar', dest: target('part'), include: ['./d'], list_files: true };
      const first = await play({ ...given, extra_opts: ['--strip-components=2'] });
      expect(first.result['files']).to.include('./d/run');
      expect(readdirSync(at('part')).sort()).to.deep.equal([LONG, 'run']);
      const again = await play({ ...given, extra_opts: ['--strip-components=2'] });
      expect(again.result).to.include({ changed: false });
    });

    it('closes an archive once it has seen its end', async () => {
      writeFileSync(
        at('tail.tar'),
        Buffer.concat([readFileSync(at('a.tar')), Buffer.alloc(4 << 20)]),
      );
      execFileSync('xz', ['-k', at('tail.tar')]);
      for (const name of [...Object.keys(ARCHIVES), 'tail.tar', 'tail.tar.xz']) {
        if (toolset === 'busybox' && name.endsWith('zst')) continue;
        const dest = target(`closed-${name}`);
        await play({ src: name, dest }, true);
        expect(isOpenHere(at(name)), name).to.equal(false);
      }
    });

    it('leaves nothing behind when it fails', async () => {
      writeFileSync(at('bad.tar.gz'), 'no archive');
      const dest = target('bad');
      const given = { src: 'bad.tar.gz', dest };
      const message = await play(given).then(
        () => '',
        (error: Error) => error.message,
      );
      expect(message).to.include('cannot be read as an archive');
      expect(readdirSync(dest)).to.deep.equal([]);
      expect(existsSync(at('none'))).to.equal(false);
      expect(isOpenHere(at('bad.tar.gz'))).to.equal(false);
    });
  });
}

/** Whether this process has a file open. */
function isOpenHere(file: string): boolean {
  return readdirSync('/proc/self/fd').some((fd) => {
    try {
      return readlinkSync(`/proc/self/fd/${fd}`) === file;
    } catch {
      return false; // The directory itself, which was open while it was read.
    }
  });
}
