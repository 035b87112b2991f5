/** Tasks whose module is named by a template (`action: "{{ ansible_facts.pkg_mgr }} name=…"`). */

import type { Task } from '../playbook/model.ts';
import { nameElsewhere, resolveName } from '../playbook/module-names.ts';
import type { Value } from '../values.ts';
import type { Batch } from './batch.ts';

interface Group {
  readonly task: Task;
  readonly hosts: string[];
}

/** The hosts that are at a task, by the module that its name comes to on them. */
export async function byModule(
  batch: Batch,
  task: Task,
  hosts: readonly string[],
): Promise<readonly Group[]> {
  const template = task.moduleTemplate;
  if (template === undefined) return [{ task, hosts: [...hosts] }];
  const groups = new Map<string, Group>();
  for (const host of hosts) {
    const action = nameOn(batch, { ...task, moduleTemplate: template }, host);
    const group = groups.get(action) ?? { task: await called(batch, task, action), hosts: [] };
    group.hosts.push(host);
    groups.set(action, group);
  }
  return [...groups.values()];
}

/** What the template comes to on a host; where it fails, what was written: the task itself will say why. */
function nameOn(
  batch: Batch,
  task: Task & { readonly moduleTemplate: Value },
  host: string,
): string {
  try {
    return String(batch.context.render(task.moduleTemplate, host, task));
  } catch {
    return task.action;
  }
}

async function called({ run }: Batch, task: Task, action: string): Promise<Task> {
  const { loader, catalogue } = run.services;
  const module = resolveName(loader, action) ?? task.module;
  if (catalogue.resolve(module) !== undefined) await catalogue.load(module);
  const full = module === '' ? nameElsewhere(loader, action) : undefined;
  const unavailable = full === undefined ? undefined : { full, position: task.position };
  return { ...task, action, module, unavailable };
}
