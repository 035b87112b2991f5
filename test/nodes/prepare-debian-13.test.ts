import { ALL_SWAPS, PLAIN_LAYOUT, startBerry } from '../support/nodes/berry.ts';
import { describePreparation } from '../support/nodes/preparation.ts';
import { TRIXIE } from '../support/nodes/system.ts';

describePreparation({
  title: 'a machine with the kernel of Debian 13 that boots like a Raspberry Pi',
  architecture: TRIXIE.architecture,
  start: () => startBerry({ name: 'trixie', system: TRIXIE, layout: PLAIN_LAYOUT }),
  swaps: ALL_SWAPS,
  variables: { boot_loader: 'firmware' },
});
