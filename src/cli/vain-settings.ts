/** Warnings of settings whose value asks for what does not exist here. */
import type { Settings } from '../engine/config/config-settings.ts';
import { strategyProblem } from '../engine/playbook/strategy.ts';
import { missingCallbacks } from './output/output.ts';

/** One for each setting, by its name. */
export function vainSettings(settings: Settings): string[] {
  return [
    ...(strategyProblem(settings.strategy, undefined) === undefined
      ? []
      : [`strategy: there is no strategy "${settings.strategy}": plays run with linear`]),
    ...missingCallbacks(settings),
    ...WITHOUT_EFFECT.flatMap(({ name, isAsked, why }) =>
      isAsked(settings) ? [`${name} has no effect: ${why}`] : [],
    ),
  ];
}

const WITHOUT_EFFECT: readonly {
  readonly name: string;
  readonly isAsked: (settings: Settings) => boolean;
  /** What holds instead. */
  readonly why: string;
}[] = [
  {
    name: 'retry_files_enabled',
    isAsked: ({ retryFilesEnabled }) => retryFilesEnabled,
    why: 'no retry files are written',
  },
  {
    name: 'error_on_undefined_vars',
    isAsked: ({ errorOnUndefinedVars }) => !errorOnUndefinedVars,
    why: 'an undefined variable is always an error',
  },
  {
    name: 'private_role_vars',
    isAsked: ({ privateRoleVars }) => privateRoleVars,
    why: 'variables of roles are visible as Ansible has them by default',
  },
  {
    name: 'playbook_vars_root',
    isAsked: ({ playbookVarsRoot }) => playbookVarsRoot !== 'top',
    why: 'variables are read beside the first playbook',
  },
];
