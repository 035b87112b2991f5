import { defineModule } from '../engine/module.ts';
import { choice, list, object, optional, path, string } from '../shared/schema.ts';
import { withoutEffect } from './support/boot/boot-line.ts';
import { planLine } from './support/boot/line-plan.ts';
import {
  type LineArgs,
  type LineState,
  nextLine,
  pendingOptions,
  probeLine,
  unprovenWords,
} from './support/boot/line-state.ts';

const OPTION = '^[^\\s"\'`$\\\\]+$';

export const kernelCmdline = defineModule<LineArgs, LineState>({
  name: 'kernel_cmdline',
  aliases: [],
  summary:
    "Keep options in the kernel's command line, in the file that the boot loader really reads.",

  args: object({
    options: list(
      string('An option, e.g. `cgroup_enable=memory`.', { pattern: OPTION }),
      'Options, in the order in which missing ones are appended. Whole words count.',
    ),
    state: choice(
      ['present', 'restored'],
      '`restored` takes those out again that were not there before `present` was first used.',
      { default: 'present' },
    ),
    loader: choice(
      ['auto', 'firmware', 'grub'],
      'What boots the machine: the firmware of a Raspberry Pi, or GRUB.',
      { default: 'auto' },
    ),
    file: optional(path('The file with the line, where it cannot be found by itself.')),
  }),

  examples: [
    {
      title: 'Account for memory in control groups on a Raspberry Pi',
      args: { options: ['cgroup_enable=cpuset', 'cgroup_memory=1', 'cgroup_enable=memory'] },
    },
    {
      title: 'Take the option out again',
      args: { options: ['cgroup_memory=1'], state: 'restored' },
    },
  ],

  returns: {
    loader: '`firmware` or `grub`.',
    file: 'The file that the next boot reads.',
    files: 'All files that hold the line or a part of it, also for a trial boot.',
    why: 'Why it is that file.',
    cmdline: 'What the running kernel was started with.',
    missing: 'The options that the boot line did not have before the task.',
    inactive: 'The options that the running kernel was not started with.',
    reboot_pending: 'Whether the running kernel differs from the next boot in the options.',
    pending: 'The options in which it differs.',
    proven: 'Whether all other words of the file reached the running kernel.',
    unproven: 'Those that did not.',
  },

  probe: probeLine,

  plan: planLine,

  report(state, { options }, { before }) {
    const pending = pendingOptions(state, options);
    const unproven = unprovenWords(state, options);
    return {
      loader: state.loader,
      file: state.files[0]?.path ?? null,
      files: state.files.map((file) => file.path),
      why: state.why,
      cmdline: state.facts.cmdline,
      missing: withoutEffect(nextLine(before), options),
      inactive: withoutEffect(state.facts.cmdline, options),
      reboot_pending: pending.length > 0,
      pending,
      proven: unproven.length === 0,
      unproven,
    };
  },
});
