/** Variables that the engine itself provides (Ansible's special variables). They beat all others of their name. */
import { existsSync } from 'node:fs';
import { delimiter, join, resolve } from 'node:path';
import { table } from '../../shared/table.ts';
import { LOCAL_NAMES } from '../inventory/patterns.ts';
import { TemplateError } from '../jinja/errors.ts';
import type { JinjaHost } from '../jinja/host.ts';
import { collectedRole } from '../playbook/collections-of.ts';
import { inheritedBy } from '../playbook/inherited.ts';
import type { Play, Role, Task } from '../playbook/model.ts';
import { type Dict, fromPlain, OMIT, type Value } from '../values.ts';
import { LazyDict } from '../vars/lazy-dict.ts';
import { type Layer, LayeredScope } from '../vars/task-scope.ts';
import { chosenDelegate } from './delegate-layer.ts';
import { allRoleNames, dependentRoleNames, parentRoles, roleNames } from './role-names.ts';
import type { RunState } from './run-state.ts';

/** The part of a play's context that magic variables speak of. */
interface MagicContext {
  readonly run: RunState;
  readonly play: Play;
  readonly allHosts: readonly string[];
  activeHosts(): string[];
  playHosts(): string[];
  roles(): readonly Role[];
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

type RunMaker = (magic: Pick<Magic, 'context' | 'task'>) => Value | undefined;

const RUN: Readonly<Record<string, RunMaker>> = table({
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
});

function shortRoleName(role: Role | undefined): string | undefined {
  return role && (collectedRole(role.path)?.short ?? role.name);
}

/** Of the role of a task. */
const ROLE: Readonly<Record<string, RunMaker>> = table({
  role_name: ({ task }) => shortRoleName(task?.parent.role),
  ansible_role_name: ({ task }) => task?.parent.role?.name,
  role_path: ({ task }) => task?.parent.role?.path,
  ansible_parent_role_names: ({ task }) => parentRoles(task, 'name'),
  ansible_parent_role_paths: ({ task }) => parentRoles(task, 'path'),
});

const HOST: Readonly<Record<string, Maker>> = table({
  ...RUN,
  inventory_hostname: ({ host }) => host,
  inventory_hostname_short: ({ host }) => host.split('.')[0] ?? host,
  // Ansible's text for a list of hosts, which lies in no directory.
  inventory_dir: ({ context, host }) => {
    const source = inventoryOf(context).sourceOf(host);
    return source && (source.directory ?? 'None');
  },
  inventory_file: ({ context, host }) => inventoryOf(context).sourceOf(host)?.file,
  group_names: ({ context, host }) => inventoryOf(context).groupNames(host),
  ansible_facts: ({ context, host }) => context.run.variablesOf(host).facts,
});

const PLAY: Readonly<Record<string, Maker>> = table({
  ...HOST,
  ...ROLE,
  hostvars: ({ context }) => hostVars(context),
  vars: ({ context, scope, task }) => allVariables(context, scope(), task),
  environment: ({ task }) => (task === undefined ? [] : inheritedBy(task).environment),
  ansible_play_name: ({ context, host, task, scope }) => playName(context, scope(), { host, task }),
  ansible_play_hosts: ({ context }) => context.playHosts(),
  ansible_play_hosts_all: ({ context }) => context.allHosts,
  ansible_play_batch: ({ context }) => context.activeHosts(),
  play_hosts: ({ context }) => context.activeHosts(),
  role_names: ({ context }) => roleNames(context.roles()),
  ansible_role_names: ({ context }) => allRoleNames(context.roles()),
  ansible_play_role_names: ({ context }) => roleNames(context.roles()),
  ansible_dependent_role_names: ({ context }) => dependentRoleNames(context.roles()),
  ansible_collection_name: ({ task }) =>
    task?.parent.role && (collectedRole(task.parent.role.path)?.collection ?? null),
  ansible_delegated_vars: (magic) => delegatedVariables(magic),
  ansible_search_path: ({ context, task }) => context.jinjaHost(task).searchPath,
});

/** Whether a variable is the engine's own. */
export function isMagic(name: string): boolean {
  return Object.hasOwn(PLAY, name);
}

/** Those that are there only sometimes. */
const SOMETIMES = [
  ...Object.keys(ROLE),
  'ansible_collection_name',
  'ansible_limit',
  'inventory_dir',
  'inventory_file',
];

/** The engine's variables for a task on a host. */
export function magicLayer(magic: Magic): Layer {
  const absent = () => {
    const none = SOMETIMES.filter((name) => PLAY[name]?.(magic) === undefined);
    return new Set(delegateOf(magic) === undefined ? [...none, 'ansible_delegated_vars'] : none);
  };
  return {
    get: (name, scope) =>
      Object.hasOwn(PLAY, name) ? PLAY[name]?.(within(magic, scope)) : undefined,
    names: () => {
      const missing = absent();
      return Object.keys(PLAY).filter((name) => !missing.has(name));
    },
  };
}

function within(magic: Magic, scope: LayeredScope | undefined): Magic {
  return scope === undefined ? magic : { ...magic, scope: () => scope };
}

/** What a task knows of the host that it works on where no variable of its own host says it. */
export function addressLayer(magic: Magic): Layer {
  return {
    get: (name, scope) => {
      if (name !== 'ansible_host' && name !== 'ansible_port') return undefined;
      const target = targetOf(within(magic, scope)) ?? magic.host;
      const known = magic.context.run.variablesOf(target).inventory.get(name);
      return known ?? (name === 'ansible_host' ? addressOf(magic, target) : undefined);
    },
    names: () => [],
  };
}

/** Where a host is found that has no address: by its name, and a play without inventory at home. */
function addressOf({ context, host }: Magic, target: string): string {
  const isHome =
    target === host &&
    LOCAL_NAMES.includes(host) &&
    inventoryOf(context).sourceOf(host) === undefined;
  return isHome ? '127.0.0.1' : target;
}

/** Those that do not depend on a host, for keywords of a play and the names of handlers. */
export function runLayer(context: MagicContext, task: Task | undefined): Layer {
  const makers = { ...RUN, ...ROLE };
  return {
    get: (name) => (Object.hasOwn(makers, name) ? makers[name]?.({ context, task }) : undefined),
    names: () => Object.keys(makers),
  };
}

function inventoryOf(context: MagicContext) {
  return context.run.services.inventory;
}

/** `hostvars`: of every host what is known without a play: inventory, facts, set_fact and register. */
function hostVars(context: MagicContext): LazyDict {
  const inventory = inventoryOf(context);
  const hosts = () => inventory.groups().get('all') ?? [];
  const isKnown = (host: string) => inventory.has(host) || LOCAL_NAMES.includes(host);
  return new LazyDict(hosts, (host) => (isKnown(host) ? hostView(context, host) : undefined));
}

function hostView(context: MagicContext, host: string, more: Dict = new Map()): LazyDict {
  const { run } = context;
  const variables = run.variablesOf(host);
  const magic: Magic = { context, host, task: undefined, scope: () => scope };
  const scope: LayeredScope = new LayeredScope([
    more,
    {
      get: (name: string) => (Object.hasOwn(HOST, name) ? HOST[name]?.(magic) : undefined),
      names: () => Object.keys(HOST).filter((name) => HOST[name]?.(magic) !== undefined),
    },
    run.options.extraVars,
    variables.set,
    variables.included,
    variables.factVariables,
    variables.inventory,
  ]);
  return allVariables(context, scope, undefined, ['hostvars']);
}

/** Those that stand for all others, or for none. */
const UNLISTED = ['vars', 'omit'];

function allVariables(
  context: MagicContext,
  scope: LayeredScope,
  task: Task | undefined,
  more: readonly string[] = [],
): LazyDict {
  const unlisted = new Set([...UNLISTED, ...more]);
  const names = () => [...scope.names()].filter((name) => !unlisted.has(name));
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

/** Variables of the host that a task is delegated to, by its name; the name of the play's host stays. */
function delegatedVariables(magic: Magic): Value | undefined {
  const { context, host } = magic;
  const name = renderDelegate(magic);
  if (name === undefined) return undefined;
  const address = context.run.variablesOf(name).inventory.get('ansible_host') ?? name;
  const short = host.split('.')[0] ?? host;
  const more = new Map<string, Value>([
    ['inventory_hostname', host],
    ['inventory_hostname_short', short],
    ['ansible_host', address],
  ]);
  return new Map<Value, Value>([
    [name, hostView(context, name, more) as ReadonlyMap<Value, Value>],
  ]);
}

function delegateOf({ task, scope }: Magic): Value | undefined {
  const chosen = chosenDelegate(scope());
  return chosen ?? (task && inheritedBy(task).nearest('delegate_to')) ?? undefined;
}

/** The host that a task is delegated to; undefined where a template comes to nothing. */
function renderDelegate(magic: Magic): string | undefined {
  const { context, task, scope } = magic;
  const { jinja } = context.run.services;
  const written = delegateOf(magic);
  if (written === undefined) return undefined;
  const name = jinja.renderValue(written, scope(), context.jinjaHost(task));
  return name === OMIT || name === null || name === '' ? undefined : String(name);
}

/** The same, undefined also while it cannot be told. */
function targetOf(magic: Magic): string | undefined {
  try {
    return renderDelegate(magic);
  } catch (error) {
    if (error instanceof TemplateError) return undefined;
    throw error;
  }
}
