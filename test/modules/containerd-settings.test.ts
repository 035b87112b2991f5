import { readdirSync, readFileSync } from 'node:fs';
import { expect } from 'chai';
import {
  settingsOf,
  versionOf,
  wantedConfig,
} from '../../src/modules/support/containerd/settings.ts';
import { parseToml, renderToml, type TomlTable } from '../../src/shared/toml.ts';

/** What `containerd config default` prints, recorded from real builds. */
const FOLDER = new URL('data/containerd/', import.meta.url);
const FORMATS: Readonly<Record<string, number>> = { '1.6.20': 2, '1.7.35': 2, '2.4.2': 4 };

const WISH = {
  ...{ systemdCgroup: true, sandboxImage: 'r/pause:1', cniBinDir: '/opt/plugins' },
  ...{ cniConfDir: '/etc/cni/net.d', settings: {} },
};

/** Lines of a document by the table they are in. */
function lines(config: TomlTable): string[] {
  let table = '';
  return renderToml(config)
    .split('\n')
    .flatMap((line) => {
      if (line.startsWith('[')) table = line;
      return line === '' || line.startsWith('[') ? [] : [`${table} ${line}`];
    });
}

for (const file of readdirSync(FOLDER)) {
  const release = file.replace('.toml', '');
  const text = readFileSync(new URL(file, FOLDER), 'utf8');

  describe(`the defaults of containerd ${release}`, () => {
    const defaults = parseToml(text);

    it('are of the format that is recorded', () => {
      expect(versionOf(defaults)).to.equal(FORMATS[release]);
    });

    it('become what is wanted', () => {
      expect(settingsOf(wantedConfig(defaults, undefined, WISH))).to.deep.equal({
        systemdCgroup: true,
        sandboxImage: 'r/pause:1',
        cniBinDirs: ['/opt/plugins'],
      });
    });

    it('lose nothing else', () => {
      const before = lines(defaults);
      const after = lines(wantedConfig(defaults, undefined, WISH));
      const gone = before.filter((line) => !after.includes(line));
      expect(gone.map((line) => line.replace(/^.*\] (\w+) = .*/, '$1')).sort()).to.deep.equal(
        ['SystemdCgroup', release.startsWith('1.') ? 'bin_dir' : 'bin_dirs', 'sandbox']
          .sort()
          .map((key) => (key === 'sandbox' && release.startsWith('1.') ? 'sandbox_image' : key)),
      );
      expect(after.length).to.equal(before.length);
    });

    it('stay as they are when what is wanted is there already', () => {
      const once = wantedConfig(defaults, undefined, WISH);
      expect(renderToml(wantedConfig(defaults, once, WISH))).to.equal(renderToml(once));
    });

    it('get the cgroup key where a release leaves it out, as 2.0.0 to 2.0.6 do', () => {
      const without = parseToml(text.replace(/^ *SystemdCgroup = false\n/m, ''));
      expect(settingsOf(without).systemdCgroup).to.equal(false);
      expect(settingsOf(wantedConfig(without, undefined, WISH)).systemdCgroup).to.equal(true);
    });

    it('keep the type of the runtime under a file that has only its options', () => {
      const own = wantedConfig({ version: defaults['version'] ?? 0n }, undefined, WISH);
      const merged = lines(wantedConfig(defaults, own, WISH));
      expect(
        merged.some((line) => /runc\] runtime_type = "io.containerd.runc.v2"$/.test(line)),
      ).to.equal(true);
    });
  });
}
