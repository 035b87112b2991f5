/** What upstream releases, built here from the same sources. */
import type { GoCommands, StandIn } from './go-build.ts';

const TIGRON = 'github.com/containerd/nerdctl/mod/tigron';

/** What depends on the same versions is compiled once for all of them. */
const TOGETHER = {
  beside: [
    'github.com/containerd/containerd/v2@v2.4.2',
    'github.com/moby/buildkit@v0.26.2',
    'github.com/containerd/nerdctl/v2@v2.3.5',
  ],
  // A part of nerdctl, which is a folder beside it where it is developed.
  replaces: [`${TIGRON} => ${TIGRON} v0.0.0-20260121031139-a630881afd01`],
};

const containerd = (module: string, version: string): GoCommands => ({
  ...{ name: 'containerd', module, version, versionVariable: 'version.Version' },
  packages: ['cmd/containerd', 'cmd/containerd-shim-runc-v2', 'cmd/ctr'],
  files: ['containerd.service'],
});

/** The line before, with version 2 of the configuration. */
export const CONTAINERD_1 = containerd('github.com/containerd/containerd', 'v1.7.35');
/** With version 4 of the configuration. */
export const CONTAINERD_2: GoCommands = {
  ...containerd('github.com/containerd/containerd/v2', 'v2.4.2'),
  ...TOGETHER,
};

export const BUILDKIT: GoCommands = {
  ...{ name: 'buildkit', module: 'github.com/moby/buildkit', version: 'v0.26.2' },
  ...{ packages: ['cmd/buildctl', 'cmd/buildkitd'], versionVariable: 'version.Version' },
  files: ['buildkit.socket', 'buildkit.service'].map((each) => `examples/systemd/system/${each}`),
  ...TOGETHER,
};

export const CNI_PLUGINS: GoCommands = {
  ...{ name: 'cni-plugins', module: 'github.com/containernetworking/plugins', version: 'v1.9.1' },
  packages: [
    ...['main/bridge', 'main/loopback', 'main/host-device', 'main/ptp', 'ipam/host-local'],
    ...['meta/portmap', 'meta/firewall', 'meta/tuning', 'meta/bandwidth'],
  ].map((each) => `plugins/${each}`),
  versionVariable: 'pkg/utils/buildversion.BuildVersion',
  files: ['README.md', 'LICENSE'],
};

/** The proxy has few versions of it: these are the sources of v1.36.0, and are told which one they stand for. */
export const CRICTL: GoCommands & { readonly tells: string } = {
  ...{ name: 'crictl', module: 'sigs.k8s.io/cri-tools', version: 'v1.36.0', tells: 'v1.30.1' },
  ...{ packages: ['cmd/crictl'], versionVariable: 'pkg/version.Version', files: [] },
};

/** With what it takes to make a package of it: the sources of `pinns`, which are C, its unit and its network. */
export const CRIO: GoCommands = {
  ...{ name: 'crio', module: 'github.com/cri-o/cri-o', version: 'v1.34.0' },
  packages: ['cmd/crio'],
  // Those of upstream that need no library in C.
  tags: [
    ...['apparmor', 'selinux', 'containers_image_openpgp', 'containers_image_ostree_stub'],
    ...['exclude_graphdriver_btrfs', 'btrfs_noversion'],
  ],
  files: [
    ...['pinns/src', 'crictl.yaml', 'contrib/systemd/crio.service'],
    'contrib/cni/11-crio-ipv4-bridge.conflist',
  ],
};

export const NERDCTL: GoCommands = {
  ...{ name: 'nerdctl', module: 'github.com/containerd/nerdctl/v2', version: 'v2.3.5' },
  ...{ packages: ['cmd/nerdctl'], versionVariable: 'pkg/version.Version', files: [] },
  ...TOGETHER,
};

/** Needs no library in C or Rust. It speaks Flux, and the API of version 2. */
export const INFLUXDB: GoCommands = {
  ...{ name: 'influxdb', module: 'github.com/influxdata/influxdb', version: 'v1.8.10' },
  ...{ packages: ['cmd/influxd'], files: [] },
};

/** The server of Vault with few of its plugins; its own build has some hundred modules more. */
export const VAULT: StandIn = {
  ...{ name: 'vault', version: 'v1.21.0' },
  requires: [
    'github.com/hashicorp/vault@v1.21.0',
    'github.com/hashicorp/vault-plugin-auth-kubernetes@v0.23.1',
    'github.com/hashicorp/vault-plugin-secrets-kv@v0.25.0',
  ],
  // It replaces these two by folders beside it, which are published on their own.
  replaces: [
    'github.com/hashicorp/vault/api => github.com/hashicorp/vault/api v1.22.0',
    'github.com/hashicorp/vault/sdk => github.com/hashicorp/vault/sdk v0.20.0',
  ],
};

/** A server of tokens of the library that Ory Hydra is made of; Hydra itself cannot be had as a module. */
export const OAUTH: StandIn = {
  ...{ name: 'oauth', version: 'v0.49.0' },
  requires: ['github.com/ory/fosite@v0.49.0'],
};
