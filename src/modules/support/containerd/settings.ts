/** What a node needs of containerd's configuration, and where each version of the format has it. Pure. */
import {
  isTomlTable,
  mergeToml,
  type TomlTable,
  type TomlValue,
  tomlAt,
  tomlWith,
} from '../../../shared/toml.ts';

/** What is wanted. Undefined leaves what the configuration has. */
export interface Wish {
  readonly systemdCgroup: boolean;
  readonly sandboxImage: string | undefined;
  readonly cniBinDir: string | undefined;
  readonly cniConfDir: string | undefined;
  /** More tables, merged in as they are. */
  readonly settings: TomlTable;
}

/** What a configuration says about the same. */
export interface Settings {
  readonly systemdCgroup: boolean;
  readonly sandboxImage: string | undefined;
  readonly cniBinDirs: readonly string[];
}

interface Layout {
  readonly runtime: readonly string[];
  readonly sandbox: readonly string[];
}

/** Versions 1 and 2 (containerd 1.x) have one CRI plugin; 3 and 4 (containerd 2.x) have two. */
function layoutOf(config: TomlTable): Layout {
  if (versionOf(config) < 3) {
    const cri = ['plugins', 'io.containerd.grpc.v1.cri'];
    return { runtime: cri, sandbox: [...cri, 'sandbox_image'] };
  }
  return {
    runtime: ['plugins', 'io.containerd.cri.v1.runtime'],
    sandbox: ['plugins', 'io.containerd.cri.v1.images', 'pinned_images', 'sandbox'],
  };
}

/** The version of the format; a file that does not say is taken for version 1. */
export function versionOf(config: TomlTable): number {
  return Number(config['version'] ?? 1);
}

const runcOf = ({ runtime }: Layout) => [...runtime, 'containerd', 'runtimes', 'runc'];

/** Names by which the plugin that talks to the kubelet can be switched off. */
const CRI_NAMES = ['cri', 'io.containerd.grpc.v1.cri'];

/** The daemon's defaults, over them the configuration that is there, over both what is wanted. */
export function wantedConfig(
  defaults: TomlTable,
  own: TomlTable | undefined,
  wish: Wish,
): TomlTable {
  const base = mergeToml(own === undefined ? defaults : mergeToml(defaults, own), wish.settings);
  const version = defaults['version'] ?? 1n;
  const config = edits(base, layoutOf(defaults), wish).reduce(mergeToml, base);
  return { ...withoutDeprecatedBinDir(config, layoutOf(defaults)), version };
}

function edits(base: TomlTable, layout: Layout, wish: Wish): TomlTable[] {
  const runc = runcOf(layout);
  const { systemdCgroup, sandboxImage, cniConfDir } = wish;
  const disabled = base['disabled_plugins'];
  return [
    // A daemon of 1.x that finds options but no type runs no containers at all.
    ...(tomlAt(base, [...runc, 'runtime_type'])
      ? []
      : [tomlWith([...runc, 'runtime_type'], 'io.containerd.runc.v2')]),
    tomlWith([...runc, 'options', 'SystemdCgroup'], systemdCgroup),
    ...(sandboxImage === undefined ? [] : [tomlWith(layout.sandbox, sandboxImage)]),
    ...binDirEdits(base, layout, wish),
    ...(cniConfDir === undefined
      ? []
      : [tomlWith([...layout.runtime, 'cni', 'conf_dir'], cniConfDir)]),
    // A key of runc's first shim: with the present one it stops the plugin.
    ...(tomlAt(base, [...layout.runtime, 'systemd_cgroup']) === true
      ? [tomlWith([...layout.runtime, 'systemd_cgroup'], false)]
      : []),
    ...(Array.isArray(disabled)
      ? [{ disabled_plugins: disabled.filter((name) => !CRI_NAMES.includes(String(name))) }]
      : []),
  ];
}

/** The list came with 2.1; before, and in 1.x, there is one directory. */
function binDirEdits(base: TomlTable, { runtime }: Layout, { cniBinDir }: Wish): TomlTable[] {
  if (cniBinDir === undefined) return [];
  const hasList = Array.isArray(tomlAt(base, [...runtime, 'cni', 'bin_dirs']));
  return [
    hasList
      ? tomlWith([...runtime, 'cni', 'bin_dirs'], [cniBinDir])
      : tomlWith([...runtime, 'cni', 'bin_dir'], cniBinDir),
  ];
}

/** A daemon that has the list refuses the single directory beside it. */
function withoutDeprecatedBinDir(config: TomlTable, { runtime }: Layout): TomlTable {
  const cni = tomlAt(config, [...runtime, 'cni']);
  const isDouble = isTomlTable(cni) && Array.isArray(cni['bin_dirs']) && cni['bin_dir'];
  return isDouble ? mergeToml(config, tomlWith([...runtime, 'cni', 'bin_dir'], '')) : config;
}

/** Reads the settings out of a configuration, e.g. the one that is in force. */
export function settingsOf(config: TomlTable): Settings {
  const layout = layoutOf(config);
  const text = (value: TomlValue | undefined) => (typeof value === 'string' ? value : undefined);
  const list = tomlAt(config, [...layout.runtime, 'cni', 'bin_dirs']);
  const single = text(tomlAt(config, [...layout.runtime, 'cni', 'bin_dir']));
  return {
    systemdCgroup: tomlAt(config, [...runcOf(layout), 'options', 'SystemdCgroup']) === true,
    sandboxImage: text(tomlAt(config, layout.sandbox)),
    cniBinDirs: Array.isArray(list) && list.length > 0 ? list.map(String) : single ? [single] : [],
  };
}
