/** Variables that the engine itself provides (Ansible's special variables). They beat all others of their name. */
import { existsSync } from 'node:fs';
import { delimiter, join, resolve } from 'node:path';
import type { JinjaHost } from '../jinja/host.ts';
import { inheritedBy } from '../playbook/inherited.ts';
import { enclosing, type Play, type Role, type Task } from '../playbook/model.ts';
import { fromPlain, OMIT, type Value } from '../values.ts';
import { LazyDict } from '../vars/lazy-dict.ts';
import { type Layer, LayeredScope } from '../vars/task-scope.ts';
import type { RunState } from './run-state.ts';

/** The part of a play's context that magic variables speak of. */
interface MagicContext {
  readonly run: RunState;
  readonly play: Play;
  readonly allHosts: readonly string[];
  activeHosts(): string[];
  playHosts(): string[];
  exportedRoles(): readonly Role[];
  jinjaHost(task: Task | undefined): JinjaHost;
}

interface Magic {
  readonly context: MagicContext;
  readonly host: string;
  readonly task: Task | undefined;
  readonly scope: () => LayeredScope;
}

type Maker = (magic: Magic) => Value | undefined;

/** Version of the Ansible language that is spoken: `ansible_version`. */
const LANGUAGE_VERSION = { full: '2.19.0', major: 2, minor: 19, revision: 0, string: '2.19.0' };

/** A Python of this machine, for playbooks that name one as `ansible_python_interpreter`; none is needed to be there. */
function python(): string {
  const folders = (process.env['PATH'] ?? '').split(delimiter).filter((folder) => folder !== '');
  const paths = [...folders, '/usr/bin'].map((folder) => join(folder, 'python3'));
  return paths.find((path) => existsSync(path)) ?? '/usr/bin/python3';
}

type RunMaker = (magic: Pick<Magic, 'context'>) => Value | undefined;

const RUN: Readonly<Record<string, RunMaker>> = {
  groups: ({ context }) => inventoryOf(context).groups() as ReadonlyMap<Value, Value>, // Lists of text.
  omit: () => OMIT,
  playbook_dir: ({ context }) => resolve(context.play.playbookDir),
  ansible_version: () => fromPlain(LANGUAGE_VERSION),
  ansible_check_mode: ({ context }) => context.run.options.check,
  ansible_diff_mode: ({ context }) => context.run.options.diff,
  ansible_forks: ({ context }) => context.run.options.forks,
  ansible_verbosity: ({ context }) => context.run.options.verbosity,
  ansible_run_tags: ({ context }) => context.run.options.tags,
  ansible_skip_tags: ({ context }) => context.run.options.skipTags,
  ansible_limit: ({ context }) => context.run.options.limit,
  ansible_inventory_sources: ({ context }) =>
    context.run.options.inventorySources.map((each) => resolve(each)),
  ansible_config_file: ({ context }) => context.run.options.configFile ?? null,
  ansible_playbook_python: () => python(),
};

const HOST: Readonly<Record<string, Maker>> = {
  ...RUN,
  inventory_hostname: ({ host }) => host,
  inventory_hostname_short: ({ host }) => host.split('.')[0] ?? host,
  inventory_dir: ({ context, host }) => inventoryOf(context).sourceOf(host)?.directory,
  inventory_file: ({ context, host }) => inventoryOf(context).sourceOf(host)?.file,
  group_names: ({ context, host }) => inventoryOf(context).groupNames(host),
  ansible_facts: ({ context, host }) => context.run.variablesOf(host).facts,
};

const PLAY: Readonly<Record<string, Maker>> = {
  ...HOST,
  hostvars: ({ context }) => hostVars(context),
  vars: ({ context, scope, task }) => allVariables(context, scope(), task),
  environment: ({ task }) => (task === undefined ? [] : inheritedBy(task).environment),
  ansible_play_name: ({ context, host, task, scope }) => playName(context, scope(), { host, task }),
  ansible_play_hosts: ({ context }) => context.playHosts(),
  ansible_play_hosts_all: ({ context }) => context.allHosts,
  ansible_play_batch: ({ context }) => context.activeHosts(),
  play_hosts: ({ context }) => context.activeHosts(),
  role_names: ({ context }) => roleNames(context),
  ansible_role_names: ({ context }) => roleNames(context),
  ansible_play_role_names: ({ context }) => directRoleNames(context),
  ansible_dependent_role_names: ({ context }) => dependentRoleNames(context),
  role_name: ({ task }) => task?.parent.role?.name,
  ansible_role_name: ({ task }) => task?.parent.role?.name,
  role_path: ({ task }) => task?.parent.role?.path,
  ansible_parent_role_names: ({ task }) => parentRoles(task)?.map(({ name }) => name),
  ansible_parent_role_paths: ({ task }) => parentRoles(task)?.map(({ path }) => path),
  ansible_collection_name: ({ task }) => task?.parent.role && null,
  ansible_delegated_vars: ({ context, task, scope }) => delegatedVariables(context, task, scope()),
  ansible_search_path: ({ context, task }) => context.jinjaHost(task).searchPath,
};

/** The engine's variables for a task on a host. */
export function magicLayer(magic: Magic): Layer {
  return {
    get: (name) => (Object.hasOwn(PLAY, name) ? PLAY[name]?.(magic) : undefined),
    names: () => Object.keys(PLAY),
  };
}

/** Those that do not depend on a host, for keywords of a play. */
export function runLayer(context: MagicContext): Layer {
  return {
    get: (name) => (Object.hasOwn(RUN, name) ? RUN[name]?.({ context }) : undefined),
    names: () => Object.keys(RUN),
  };
}

function inventoryOf(context: MagicContext) {
  return context.run.services.inventory;
}

/** `hostvars`: of every host what is known without a play: inventory, facts, set_fact and register. */
function hostVars(context: MagicContext): LazyDict {
  const inventory = inventoryOf(context);
  const hosts = () => inventory.groups().get('all') ?? [];
  return new LazyDict(hosts, (host) => (inventory.has(host) ? hostView(context, host) : undefined));
}

function hostView(context: MagicContext, host: string): LazyDict {
  const { run } = context;
  const variables = run.variablesOf(host);
  const magic: Magic = { context, host, task: undefined, scope: () => scope };
  const scope: LayeredScope = new LayeredScope([
    {
      get: (name) => (Object.hasOwn(HOST, name) ? HOST[name]?.(magic) : undefined),
      names: () => Object.keys(HOST),
    },
    run.options.extraVars,
    variables.set,
    variables.included,
    variables.factVariables,
    variables.inventory,
  ]);
  return allVariables(context, scope, undefined);
}

function allVariables(
  context: MagicContext,
  scope: LayeredScope,
  task: Task | undefined,
): LazyDict {
  const names = () => [...scope.names()].filter((name) => name !== 'vars' && name !== 'hostvars');
  return new LazyDict(names, (name) => {
    const raw = scope.get(name);
    if (raw === undefined) return undefined;
    return context.run.services.jinja.renderValue(raw, scope, context.jinjaHost(task));
  });
}

function playName(
  context: MagicContext,
  scope: LayeredScope,
  at: { task: Task | undefined; host: string },
): Value {
  const { play, run } = context;
  const shown = play.name === '' ? play.hosts : play.name;
  return run.services.jinja.renderValue(shown, scope, context.jinjaHost(at.task));
}

/** Variables of the host that a task is delegated to, by its name. */
function delegatedVariables(
  context: MagicContext,
  task: Task | undefined,
  scope: LayeredScope,
): Value | undefined {
  const written = task === undefined ? undefined : inheritedBy(task).nearest('delegate_to');
  if (written === undefined || written === null) return undefined;
  const name = String(
    context.run.services.jinja.renderValue(written, scope, context.jinjaHost(task)),
  );
  return new Map<Value, Value>([[name, hostView(context, name) as ReadonlyMap<Value, Value>]]);
}

function unique(names: readonly string[]): string[] {
  return [...new Set(names)];
}

function roleNames(context: MagicContext): string[] {
  return unique(context.exportedRoles().map(({ name }) => name));
}

function directRoleNames(context: MagicContext): string[] {
  return unique(
    context.exportedRoles().flatMap(({ name, parents }) => (parents.length === 0 ? [name] : [])),
  );
}

function dependentRoleNames(context: MagicContext): string[] {
  return unique(
    context.exportedRoles().flatMap(({ name, parents }) => (parents.length > 0 ? [name] : [])),
  );
}

/** Roles that include or import this one; those it is a dependency of do not count. */
function parentRoles(task: Task | undefined): Role[] | undefined {
  const own = task?.parent.role;
  if (task === undefined || own === undefined) return undefined;
  const around = [...enclosing(task.parent)].flatMap(({ role }) => role ?? []);
  return [...new Set(around)].filter((role) => role !== own && !own.parents.includes(role));
}
