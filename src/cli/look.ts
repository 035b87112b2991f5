import { limitPattern } from '../engine/inventory/patterns.ts';
/** How closely playbooks are looked at before they run, as flags and configuration say. */
import type { Selection } from '../engine/playbook/certainty.ts';
import type { Look } from '../engine/run-playbook.ts';
import type { Flags, Setting } from './run-services.ts';

/** Flags that choose tasks, and what is refused. */
export interface LookFlags {
  readonly tags?: readonly string[];
  readonly skipTags?: readonly string[];
  readonly startAtTask?: string;
  readonly strict?: boolean;
}

/** Which tasks a run is about. */
export function selectionOf({ config: { settings } }: Setting, flags: LookFlags): Selection {
  return {
    tags: tagList(flags.tags ?? settings.runTags, ['all']),
    skipTags: tagList(flags.skipTags ?? settings.skipTags, []),
    startAtTask: flags.startAtTask,
  };
}

/** A look at everything that can be read. */
export function lookOf(setting: Setting, flags: Flags & LookFlags): Look {
  return {
    ...selectionOf(setting, flags),
    deep: true,
    strict: flags.strict === true,
    missingHandlersEnd: setting.config.settings.errorOnMissingHandler,
    limit: limitPattern(flags.limit),
    isLocal: (flags.connection ?? setting.config.settings.transport) === 'local',
  };
}

/** Tags of all occurrences of an option, which may each hold several with commas between. */
function tagList(texts: readonly string[], otherwise: readonly string[]): string[] {
  const tags = texts
    .flatMap((text) => text.split(','))
    .map((tag) => tag.trim())
    .filter((tag) => tag !== '');
  return tags.length === 0 ? [...otherwise] : tags;
}
