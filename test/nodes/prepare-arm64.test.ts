import { OLD_LAYOUT, startBerry } from '../support/nodes/berry.ts';
import { describePreparation } from '../support/nodes/preparation.ts';
import { BOOKWORM_ARM64 } from '../support/nodes/system.ts';

describePreparation({
  title: 'an arm64 machine that boots like an old Raspberry Pi',
  architecture: BOOKWORM_ARM64.architecture,
  // The packages that swap would be installed by an emulator.
  start: () =>
    startBerry({ name: 'arm', system: BOOKWORM_ARM64, layout: OLD_LAYOUT, packages: [] }),
  swaps: ['/swapfile', '/vendorswap'],
  isBrief: true,
  variables: { boot_loader: 'firmware' },
});
