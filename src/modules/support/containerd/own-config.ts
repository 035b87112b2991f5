/** What a configuration of containerd that is already there says. */
import { isDeepStrictEqual } from 'node:util';
import { TaskError } from '../../../engine/module.ts';
import { isSameToml, parseToml, renderToml, type TomlTable } from '../../../shared/toml.ts';
import type { TextFile } from '../text-file.ts';
import type { ContainerdState, Daemon } from './probe.ts';
import { settingsOf, versionOf } from './settings.ts';

const FORCE =
  'move its settings by hand, or keep the file elsewhere and start over with `force: true`';

/**
 * What the file says, in the daemon's version of the format; nothing with `force`. Throws TaskError where that cannot
 * be told.
 */
export function ownConfig(
  { file, migrated }: ContainerdState,
  { defaults, version }: Daemon,
  { force }: { readonly force: boolean },
): TomlTable | undefined {
  if (force || file.text === '') return undefined;
  const own = parsed(file.path, file.text);
  const [has, takes] = [versionOf(own), versionOf(parseToml(defaults))];
  if (has === takes) return own;
  if (has > takes) {
    throw new TaskError(
      `"${file.path}" has version ${has} of the format, and containerd ${version} takes at most ${takes}`,
      { hint: FORCE },
    );
  }
  if (migrated !== undefined) return parsed(file.path, migrated);
  // Only the names of plugins differ between the first two versions.
  if (own['plugins'] === undefined) return own;
  throw new TaskError(
    `"${file.path}" has version ${has} of the format, which containerd ${version} cannot bring to version ${takes}`,
    { hint: FORCE },
  );
}

function parsed(path: string, text: string): TomlTable {
  try {
    return parseToml(text);
  } catch (cause) {
    const [reason = ''] = (cause instanceof Error ? cause.message : String(cause)).split('\n');
    throw new TaskError(`"${path}" cannot be read: ${reason}`, { cause, hint: FORCE });
  }
}

/** Whether a file says the same, however it is written. */
export function isSameConfig({ text, state }: TextFile, config: TomlTable): boolean {
  if (state === null) return false;
  try {
    return isSameToml(text, renderToml(config));
  } catch {
    return false;
  }
}

/** Throws TaskError where the file is right and yet not what is in force: the daemon refuses it, or an import replaces it. */
export function expectInForce(
  { file, effective, refusal }: ContainerdState,
  config: TomlTable,
): void {
  if (refusal !== undefined) {
    throw new TaskError(`containerd refuses "${file.path}": ${refusal.trim()}`);
  }
  if (effective === undefined) return;
  const [is, wanted] = [settingsOf(parseToml(effective)), settingsOf(config)];
  if (isDeepStrictEqual(is, wanted)) return;
  const imports = JSON.stringify(config['imports'] ?? []);
  throw new TaskError(
    `a file that "${file.path}" imports (${imports}) replaces its settings: in force is ${JSON.stringify(is)}, wanted is ${JSON.stringify(wanted)}`,
    { hint: 'move its settings into the file, or remove it' },
  );
}
