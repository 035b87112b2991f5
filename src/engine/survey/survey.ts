/** Looks over loaded plays before they run: what is wrong, and what may turn out to be. */
import type { InventoryPort } from '../inventory/inventory-port.ts';
import type { Jinja } from '../jinja/jinja.ts';
import type { Module } from '../module.ts';
import type { Selection } from '../playbook/certainty.ts';
import { isInclude, type Play, type Task } from '../playbook/model.ts';
import type { LoaderOptions } from '../playbook/source.ts';
import { argumentProblems } from '../playbook/validate-tasks.ts';
import type { Catalogue } from '../run/run-state.ts';
import type { FactCache } from '../vars/fact-cache.ts';
import { Findings } from './findings.ts';
import { hasHosts, mayGrow } from './has-hosts.ts';
import { Reading } from './reading.ts';
import { strangeTags } from './tags.ts';
import { Tour, type Visit } from './tour.ts';

export interface SurveyOptions {
  readonly loader: LoaderOptions;
  readonly catalogue: Pick<Catalogue, 'load'>;
  readonly inventory?: InventoryPort | undefined;
  readonly jinja?: Jinja | undefined;
  readonly factCache?: FactCache | undefined;
  readonly selection: Selection;
  /** Whether what tasks name is looked into: included files, templates, expressions. */
  readonly deep: boolean;
  /** Whether a notification that no handler hears ends a run. */
  readonly missingHandlersEnd: boolean;
  /** Whether hosts are the controller unless something else is said. */
  readonly isLocal: boolean;
  /** The hosts that a run is limited to. */
  readonly limit?: string | undefined;
}

/** Everything that can be told of plays without a host. */
export async function survey(plays: readonly Play[], options: SurveyOptions): Promise<Findings> {
  const findings = new Findings();
  const tour = new Tour(options, (problem, isCertain) => findings.add(problem, isCertain));
  const { inventory, limit } = options;
  for (const play of plays)
    tour.play(play, hasHosts(play, { inventory, limit, mayGrow: mayGrow(tour) }));
  const { jinja } = options;
  const reading =
    options.deep && jinja !== undefined
      ? new Reading({ ...options, jinja, plays, tour, findings })
      : undefined;
  for (const visit of tour.visits) {
    const { task, isCertain } = visit;
    lacks(visit, findings);
    const problems = [
      ...(task.notBuilt ?? []),
      ...(await argumentProblems(task, options.catalogue)),
    ];
    for (const problem of problems) findings.add(problem, isCertain);
    reading?.read(visit, await moduleOf(task, options.catalogue));
  }
  reading?.finish();
  if (options.deep)
    for (const problem of strangeTags(tour, options.selection)) findings.add(problem, false);
  return findings;
}

/** What a task needs that Ansible has and tsprov has not. */
function lacks({ task, isReached, isCertain }: Visit, findings: Findings): void {
  const lacking = [
    { what: 'module', wanted: task.unavailable, isCertain },
    // The items come before the conditions.
    { what: 'lookup', wanted: task.loop?.unavailable, isCertain: isReached },
  ];
  for (const { what, wanted, isCertain: isSure } of lacking) {
    if (wanted === undefined) continue;
    findings.lack({ full: wanted.full, what, place: wanted.position, isCertain: isSure });
  }
}

async function moduleOf(
  task: Task,
  catalogue: SurveyOptions['catalogue'],
): Promise<Module | undefined> {
  return isInclude(task) || task.module === '' ? undefined : await catalogue.load(task.module);
}
