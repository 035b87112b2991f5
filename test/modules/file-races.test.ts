import { mkdirSync, readlinkSync, rmdirSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'chai';
import { finishModule, probeModule } from '../../src/engine/run-module.ts';
import { registry } from '../../src/modules/registry.ts';
import { parseArgs } from '../../src/shared/validate.ts';
import { fakeController } from '../support/fake-conversation.ts';
import { type LocalHost, openLocalHost } from '../support/local-host.ts';

/** Several hosts of an inventory may be one machine: another one may be done between our probe and our steps. */
for (const toolset of ['gnu', 'busybox'] as const) {
  describe(`what appears between probe and steps, with the tools of ${toolset}`, () => {
    let host: LocalHost;
    let at: (...names: string[]) => string;

    beforeEach(async () => {
      host = await openLocalHost(toolset);
      at = (...names) => join(host.directory, ...names);
    });
    afterEach(() => host.close());

    it('may be the directory that is to be made, and the one above it', async () => {
      const args = { path: at('a', 'b'), state: 'directory', mode: '0750' };
      await play('file', args, () => mkdirSync(at('a', 'b'), { recursive: true }));
      expect(statSync(at('a', 'b')).mode & 0o777).to.equal(0o750);
    });

    it('may be the directory that is to hold a file', async () => {
      await play('copy', { dest: `${at('c')}/`, src: 'x' }, () => mkdirSync(at('c')));
      expect(statSync(at('c', 'x')).isFile()).to.equal(true);
    });

    it('may be the link that is to be made, also in place of a directory', async () => {
      const link = () => symlinkSync('target', at('d'));
      const args = { path: at('d'), src: 'target', state: 'link', force: true };
      await play('file', args, link);
      mkdirSync(at('e'));
      await play('file', { ...args, path: at('e') }, () => {
        rmdirSync(at('e'));
        symlinkSync('target', at('e'));
      });
      expect([readlinkSync(at('d')), readlinkSync(at('e'))]).to.deep.equal(['target', 'target']);
    });

    it('is refused where it is something else', async () => {
      const args = { path: at('f'), state: 'directory' };
      const error = await play('file', args, () => writeFileSync(at('f'), '')).then(
        () => undefined,
        (thrown: Error) => thrown,
      );
      expect(error?.message).to.include('File exists');
    });

    async function play(name: string, given: Record<string, unknown>, meanwhile: () => void) {
      const module = await registry[name]?.();
      if (module === undefined || !('probe' in module))
        throw new TypeError(`${name} brings nothing to a state`);
      const writer = await host.writer();
      const controller = fakeController({ files: { x: 'content\n' } });
      const args = parseArgs(module.args, module, given);
      const probed = await probeModule(module, writer, controller, args);
      meanwhile();
      return await finishModule(probed, writer, { check: false, diff: false, verify: true });
    }
  });
}
