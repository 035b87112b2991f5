import { defineModule } from '../engine/module.ts';
import { choice, type Infer, object } from '../shared/schema.ts';
import { fstabSwaps } from './support/swap/fstab.ts';
import { RPI_DROP_IN, zramSwaps } from './support/swap/generators.ts';
import { planOff, planRestored } from './support/swap/plan.ts';
import { probeSwap, type SwapState } from './support/swap/probe.ts';
import { unitWishes } from './support/swap/units.ts';

const args = object({
  state: choice(
    ['off', 'restored'],
    '`off`: the host swaps neither now nor after a boot. `restored`: what `off` did is undone.',
    { default: 'off' },
  ),
});

export const swap = defineModule<Infer<typeof args>, SwapState>({
  name: 'swap',
  aliases: [],
  summary: 'Turn swap off, now and at every boot, whatever turns it on.',
  args,

  examples: [
    { title: 'Never swap', args: { state: 'off' } },
    { title: 'Swap as before', args: { state: 'restored' } },
  ],

  returns: {
    swaps: 'What the host swaps to after the task.',
    active: 'What it swapped to before.',
    sources: 'What would have made it swap after a boot: lines of `fstab`, units, generators.',
    reboot_required: 'Whether something was changed that is read only at boot.',
  },

  probe: probeSwap,

  plan: (now, { state }) => (state === 'off' ? planOff(now) : planRestored(now)),

  report({ active }, _args, { before, steps }) {
    return {
      swaps: active.map(({ name }) => name),
      active: before.active.map(({ name }) => name),
      sources: sourcesOf(before),
      reboot_required: steps.some((step) => step.kind === 'write' && step.path === RPI_DROP_IN),
    };
  },
});

function sourcesOf({ fstab, units, zram, rpiMechanism }: SwapState): string[] {
  return [
    ...fstabSwaps(fstab.text).map((what) => `fstab: ${what}`),
    ...unitWishes(units).map(({ unit }) => unit.name),
    ...zramSwaps(zram).map((device) => `zram-generator: ${device}`),
    ...(rpiMechanism === 'none' ? [] : [`rpi-swap: ${rpiMechanism}`]),
  ];
}
