import {
  change,
  defineModule,
  type Plan,
  type Result,
  run,
  UnknownState,
} from '../engine/module.ts';
import { boolean, dict, type Infer, object, optional, path, string } from '../shared/schema.ts';
import { sh } from '../shared/shell.ts';
import { parseToml, renderToml, tomlOf } from '../shared/toml.ts';
import { expectInForce, isSameConfig, ownConfig } from './support/containerd/own-config.ts';
import { type ContainerdState, probeContainerd } from './support/containerd/probe.ts';
import { settingsOf, versionOf, type Wish, wantedConfig } from './support/containerd/settings.ts';
import { rewritten } from './support/text-file.ts';

const args = object({
  path: path('The configuration file.', { default: '/etc/containerd/config.toml' }),
  systemd_cgroup: boolean('Let runc use the cgroup driver of systemd.', { default: true }),
  sandbox_image: optional(string('Image of the pause container.')),
  cni_bin_dir: optional(path('Where the network plugins are.')),
  cni_conf_dir: optional(path('Where the network configurations are.')),
  settings: dict('More settings, as the tables of the file; they are merged in key by key.', {
    default: {},
  }),
  force: boolean('Start over from the defaults, without what the file says.', { default: false }),
  binary: path('The containerd to ask; that of the service, else the one in PATH.', {
    default: '',
  }),
});

type Args = Infer<typeof args>;

/** The first line of a file that this module wrote. */
const MARK =
  '# Made by tsprov from the output of `containerd config default`. What you change here is kept.';

export const containerdConfig = defineModule<Args, ContainerdState>({
  name: 'containerd_config',
  aliases: [],
  summary: 'Keep what a cluster node needs in the configuration of containerd.',
  args,
  examples: [
    {
      title: 'Use the systemd cgroup driver and a pause image of our own',
      args: { sandbox_image: 'registry.example.org/pause:3.10.1', cni_bin_dir: '/opt/cni/bin' },
    },
    {
      title: 'Read registry mirrors from a directory, with containerd 2.x',
      args: {
        settings: {
          plugins: {
            'io.containerd.cri.v1.images': { registry: { config_path: '/etc/containerd/certs.d' } },
          },
        },
      },
    },
  ],
  returns: {
    path: 'The file.',
    binary: 'The containerd that was asked.',
    version: 'Its version.',
    config_version: 'The version of its configuration format.',
    systemd_cgroup: 'Whether the configuration in force has the systemd cgroup driver.',
    sandbox_image: 'The pause image in force.',
    cni_bin_dirs: 'Where it looks for network plugins.',
    found: 'These three as they were in force before; absent where nothing was.',
  },

  probe: probeContainerd,

  plan(current, wanted) {
    const { daemon, file } = current;
    if (daemon === undefined) return planAwaited(current, wanted);
    const own = ownConfig(current, daemon, wanted);
    const config = wantedConfig(parseToml(daemon.defaults), own, wishOf(wanted));
    if (isSameConfig(file, config)) {
      expectInForce(current, config);
      return change(current, current, []);
    }
    const text = `${MARK}\n\n${renderToml(config)}`;
    const { file: after, step, effect } = rewritten(file, text);
    const { refusal: _, migrated: _old, ...rest } = current;
    return change(current, { ...rest, file: after, effective: renderToml(config) }, [step], {
      effects: [effect],
      diff: { before: file.text, after: text },
    });
  },

  report({ daemon, effective, file }, _, { before }) {
    const found = inForce(before.effective);
    return {
      path: file.path,
      ...(daemon && { binary: daemon.binary, version: daemon.version }),
      ...(daemon && { config_version: versionOf(parseToml(daemon.defaults)) }),
      ...inForce(effective),
      ...(found && { found }),
    };
  },
});

/** What a cluster node depends on, in a configuration. */
function inForce(effective: string | undefined): Result | undefined {
  if (effective === undefined) return undefined;
  const { systemdCgroup, sandboxImage, cniBinDirs } = settingsOf(parseToml(effective));
  return {
    systemd_cgroup: systemdCgroup,
    sandbox_image: sandboxImage ?? null,
    cni_bin_dirs: cniBinDirs,
  };
}

function wishOf(wanted: Args): Wish {
  return {
    systemdCgroup: wanted.systemd_cgroup,
    sandboxImage: wanted.sandbox_image,
    cniBinDir: wanted.cni_bin_dir,
    cniConfDir: wanted.cni_conf_dir,
    settings: Object.fromEntries(
      Object.entries(wanted.settings).map(([key, value]) => [key, tomlOf(value)]),
    ),
  };
}

/** What is not installed yet cannot print its defaults. Throws UnknownState where they may be those that are there. */
function planAwaited(current: ContainerdState, { path: file }: Args): Plan<ContainerdState> {
  if (current.file.text.startsWith(MARK)) throw new UnknownState('the containerd to be installed');
  const { file: after, effect } = rewritten(current.file, `${MARK}\n`);
  const steps = [run(sh`containerd config default`)];
  const prepared = `${file}: the output of "containerd config default", with the settings\n`;
  return change(current, { ...current, file: after }, steps, {
    effects: [effect],
    diff: { prepared },
  });
}
