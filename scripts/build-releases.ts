/** Builds what the suites of nodes publish, unless it is in the cache. */
import { CONTAINERD_1, CONTAINERD_2, CRIO } from '../test/support/releases/components.ts';
import { goBinaries } from '../test/support/releases/go-build.ts';
import { buildUpstream } from '../test/support/releases/upstream.ts';

for (const architecture of ['arm64', 'amd64'] as const) {
  await buildUpstream(CONTAINERD_2, architecture);
}
for (const each of [CONTAINERD_1, CRIO]) await goBinaries(each);
