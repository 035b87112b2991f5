import { execFileSync } from 'node:child_process';
import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'chai';
import { type Step, type WriteStep, write } from '../../../src/engine/module.ts';
import { type LocalHost, openLocalHost } from '../../support/local-host.ts';
import { skipFor } from '../../support/skip.ts';

const TOOLS = ['getfacl', 'setfacl', 'getfattr', 'setfattr'];

const whyNot = TOOLS.every((tool) => has(tool))
  ? undefined
  : 'ACL and extended attributes need these Debian packages: apt-get install acl attr';

for (const toolset of ['gnu', 'busybox'] as const) {
  describe(`ACL and extended attributes with the tools of ${toolset}`, () => {
    let host: LocalHost;
    const at = (name: string) => join(host.directory, name);

    before(function () {
      skipFor(whyNot, this);
    });
    beforeEach(async () => {
      host = await openLocalHost(toolset);
      if (toolset === 'busybox') addTools(String(host.environment['PATH']));
      writeFileSync(at('old'), 'old\n', { mode: 0o640 });
    });
    afterEach(() => host?.close());

    it('stay when a file gets a new content', async () => {
      mark(at('old'), 'mine', '12345');
      await perform({ path: at('old') });
      expect(seen('old')).to.deep.equal(['mine', 'user:12345:rw-']);
    });

    it('stay with a new mode and a hostile name', async () => {
      const name = 'a b\n$(id)\\';
      writeFileSync(at(name), '');
      mark(at(name), 'mine', '12345');
      await perform({ path: at(name), mode: 0o600 });
      expect(seen(name)).to.deep.equal(['mine', 'user:12345:rw-']);
    });

    it('are not taken from the directory by a file that has none', async () => {
      mkdirSync(at('d'));
      writeFileSync(at('d/plain'), '', { mode: 0o640 });
      setfacl('-d', '-m', 'u:12345:rwx', at('d'));
      await perform({ path: at('d/plain') });
      expect(seen('d/plain')).to.deep.equal([]);
    });

    it('come with a copy, in place of those of the file that is replaced', async () => {
      writeFileSync(at('source'), '');
      mark(at('source'), 'its', '12345');
      mark(at('old'), 'mine', '23456');
      await perform({ path: at('old'), attributesOf: at('source'), mode: 0o644 });
      await perform({ path: at('new'), attributesOf: at('source'), mode: 0o644 });
      expect([seen('old'), seen('new')]).to.deep.equal([
        ['its', 'user:12345:rw-'],
        ['its', 'user:12345:rw-'],
      ]);
    });

    async function perform(wish: Omit<WriteStep, 'kind' | 'content'>): Promise<void> {
      const step: Step = write({ ...wish, content: { kind: 'text', text: 'new\n' } });
      await (await host.writer()).perform(step);
    }

    /** The value of the attribute `user.x` and the entries of the ACL beyond the mode. */
    function seen(name: string): string[] {
      const value = ask('getfattr', '-d', '--only-values', at(name));
      const acl = ask('getfacl', '-cpE', '-n', at(name));
      const named = acl.split('\n').filter((line) => /^(user|group):\d/.test(line));
      return [...(value === '' ? [] : [value]), ...named];
    }
  });
}

function ask(tool: string, ...args: readonly string[]): string {
  return execFileSync(tool, args, { encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] });
}

function has(tool: string): boolean {
  try {
    ask('sh', '-c', `command -v ${tool}`);
    return true;
  } catch {
    return false;
  }
}

function addTools(directory: string): void {
  for (const tool of TOOLS) {
    const path = ask('sh', '-c', `command -v ${tool}`).trim();
    symlinkSync(path, join(directory, tool));
  }
}

function mark(path: string, value: string, uid: string): void {
  execFileSync('setfattr', ['-n', 'user.x', '-v', value, path]);
  setfacl('-m', `u:${uid}:rw`, path);
}

function setfacl(...args: readonly string[]): void {
  execFileSync('setfacl', args);
}
