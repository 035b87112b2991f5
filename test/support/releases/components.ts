/** What upstream releases, built here from the same sources; and programs of the tests' own for what cannot be. */
import type { GoCommands, StandIn } from './go-build.ts';

/** What depends on the same versions is compiled once for all of them. */
const TOGETHER = ['github.com/containerd/containerd/v2@v2.4.2', 'github.com/moby/buildkit@v0.26.2'];

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
  beside: TOGETHER,
};

export const BUILDKIT: GoCommands = {
  ...{ name: 'buildkit', module: 'github.com/moby/buildkit', version: 'v0.26.2' },
  ...{ packages: ['cmd/buildctl', 'cmd/buildkitd'], versionVariable: 'version.Version' },
  files: ['buildkit.socket', 'buildkit.service'].map((each) => `examples/systemd/system/${each}`),
  beside: TOGETHER,
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

export const CRICTL: StandIn = { name: 'crictl', version: 'v1.30.1', requires: TOGETHER };

export const NERDCTL: StandIn = { name: 'nerdctl', version: 'v2.3.5', requires: [] };
