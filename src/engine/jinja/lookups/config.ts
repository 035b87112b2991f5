import { type Builtin, define } from '../builtin.ts';
import { TemplateError } from '../errors.ts';
import { iterate } from '../iterate.ts';
import type { Runtime, Val } from '../objects.ts';
import { requireText } from '../text.ts';
import { flagOf } from './option-types.ts';
import { PLUGIN_OPTIONS, PLUGIN_TYPES } from './plugin-options.ts';

interface Found {
  readonly value: Val;
  readonly origin: string;
}

const MODES = ['error', 'warn', 'skip'];

function config(
  runtime: Runtime,
  terms: Val,
  [onMissing = null, type = null, name = null, showOrigin = false]: readonly Val[],
): Val {
  const mode = onMissing === null ? 'error' : requireText(onMissing, 'on_missing');
  if (!MODES.includes(mode)) throw new TemplateError('on_missing is "error", "warn" or "skip"');
  const plugin = pluginOf(type, name);
  const hasOrigin = flagOf(showOrigin, false);
  return iterate(terms, runtime).flatMap((term) => {
    const setting = requireText(term, 'the name of a setting');
    const found: Found | undefined =
      plugin === undefined
        ? runtime.host.setting?.(setting)
        : pluginOption(runtime, plugin, setting);
    if (found !== undefined) return [hasOrigin ? [found.value, found.origin] : found.value];
    if (mode === 'error') throw new TemplateError(`there is no setting "${setting}"`);
    return [];
  });
}

/** The `TYPE NAME` of the plugin whose options are asked for; undefined for the settings of a run. */
function pluginOf(type: Val, name: Val): string | undefined {
  if (type === null && (name === null || name === '')) return undefined;
  if (type === null || name === null)
    throw new TemplateError('plugin_type and plugin_name are given together');
  const kind = requireText(type, 'plugin_type');
  if (!PLUGIN_TYPES.includes(kind))
    throw new TemplateError(`plugin_type is one of ${PLUGIN_TYPES.join(', ')}`);
  const plugin = `${kind} ${requireText(name, 'plugin_name').replace(/^ansible\.builtin\./, '')}`;
  if (PLUGIN_OPTIONS.has(plugin)) return plugin;
  const known = [...PLUGIN_OPTIONS.keys()].join(', ');
  throw new TemplateError(`the options of "${plugin}" are not known; known are: ${known}`);
}

/** The first of the option's variables that is there, then its setting. */
function pluginOption(runtime: Runtime, plugin: string, name: string): Found | undefined {
  const option = PLUGIN_OPTIONS.get(plugin)?.get(name);
  if (option === undefined) return undefined;
  const variable = option.variables.find((each) => runtime.scope.get(each) !== undefined);
  if (variable !== undefined)
    return { value: runtime.force(runtime.resolve(variable)), origin: `var: ${variable}` };
  const set = option.setting === undefined ? undefined : runtime.host.setting?.(option.setting);
  return set === undefined || (set.value === null && set.origin === 'default')
    ? { value: option.fallback, origin: 'default' }
    : set;
}

/** The config lookup: settings of the run, and options of plugins as this host has them. */
export const configLookup: Builtin = define(
  'config',
  "terms, on_missing='error', plugin_type=None, plugin_name=None, show_origin=False",
  (runtime, terms, ...options) => config(runtime, terms ?? [], options),
);
