/** What a template file knows of itself: the variables `template_…` and `ansible_managed`. */
import { statSync } from 'node:fs';
import { hostname, userInfo } from 'node:os';
import { resolve } from 'node:path';
import type { TemplateName } from './host.ts';
import { DateTime, momentAt } from './moments.ts';
import type { Runtime, Val } from './objects.ts';
import { formatText } from './str-format.ts';
import { strftime } from './strftime.ts';

/** Variables of a template file. They beat all others, but for an `ansible_managed` that somebody has set. */
export function fileVariables(template: TemplateName, runtime: Runtime): Map<string, Val> {
  const { file, name = file, destination } = template;
  const changed = changedAt(file);
  const own = new Map<string, Val>([
    ['template_host', hostname()],
    ['template_path', name],
    ['template_mtime', changed],
    ['template_uid', userName()],
    ['template_run_date', momentAt(Date.now(), false)],
    ['template_destpath', destination ?? null],
    ['template_fullpath', resolve(file)],
  ]);
  if (runtime.scope.get('ansible_managed') === undefined)
    own.set('ansible_managed', managedText(own, changed, runtime));
  return own;
}

/** The setting `ansible_managed`: it may name the file, the host and the user, and parts of the time of the last change. */
function managedText(own: ReadonlyMap<string, Val>, changed: DateTime, runtime: Runtime): string {
  const setting = runtime.host.setting?.('DEFAULT_MANAGED_STR')?.value;
  if (typeof setting !== 'string') return 'Ansible managed';
  const fields = new Map<Val, Val>([
    ['host', own.get('template_host') ?? null],
    ['uid', own.get('template_uid') ?? null],
    ['file', own.get('template_path') ?? null],
  ]);
  return strftime(formatText(runtime, setting, [], fields), changed);
}

function changedAt(file: string): DateTime {
  const nanos = statSync(file, { bigint: true, throwIfNoEntry: false })?.mtimeNs ?? 0n;
  const micros = (nanos + 500n) / 1000n;
  const { millis } = momentAt(Number(micros / 1000n), false);
  return new DateTime(millis, Number(micros % 1000n));
}

/** The name of the user that runs us; where it has none, its number. */
function userName(): string {
  try {
    return userInfo().username;
  } catch {
    return String(process.getuid?.() ?? '');
  }
}
