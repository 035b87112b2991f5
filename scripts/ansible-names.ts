/**
 * Writes src/engine/playbook/ansible-names.ts: the names of the modules, filters, lookups and tests of ansible-core
 * and of well-known collections. By hand, once per release: `tsx scripts/ansible-names.ts FOLDER`, where the folder
 * holds the unpacked packages `ansible-core` (as `ansible/`) and `ansible` (as `ansible_collections/`).
 */
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join, parse } from 'node:path';
import { parse as parseYaml } from 'yaml';

const TARGET = 'src/engine/playbook/ansible-names.ts';

/** Other collections are known by their three-part names alone. */
const COLLECTIONS = (
  'ansible.posix ansible.utils ansible.windows ansible.netcommon community.general community.docker community.crypto ' +
  'community.mysql community.postgresql community.mongodb community.rabbitmq community.proxysql community.libvirt ' +
  'community.dns community.hashi_vault community.sops community.windows community.zabbix community.grafana ' +
  'community.proxmox community.vmware community.aws community.okd community.digitalocean containers.podman ' +
  'kubernetes.core kubevirt.core amazon.aws azure.azcollection google.cloud openstack.cloud hetzner.hcloud ' +
  'microsoft.ad chocolatey.chocolatey grafana.grafana awx.awx theforeman.foreman netbox.netbox cisco.ios'
).split(' ');

const CORE = 'ansible.builtin';

/** Entries for ansible-core's own tests. */
const TESTS_OWN = /^(testns\.|uses_redirected)/;

const KINDS = { modules: 'modules', filters: 'filter', lookups: 'lookup', tests: 'test' } as const;
type Kind = keyof typeof KINDS;

interface Routing {
  plugin_routing?: Record<string, Record<string, { redirect?: string }>>;
}

function namesIn(folder: string): string[] {
  if (!existsSync(folder)) return [];
  return readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((file) => /\.(py|ps1|yml)$/.test(file))
    .map((file) => parse(file).name);
}

function routesIn(file: string, section: string): Record<string, { redirect?: string }> {
  if (!existsSync(file)) return {};
  const { plugin_routing: routing } = parseYaml(readFileSync(file, 'utf8')) as Routing; // Ansible's own file.
  return routing?.[section] ?? {};
}

function tidy(names: Iterable<string>): string {
  const kept = [...new Set(names)].filter(isName);
  return kept.sort().join(' ');
}

function collectionNames(root: string, collection: string, kind: Kind): string {
  const folder = join(root, 'ansible_collections', ...collection.split('.'));
  const moved = routesIn(join(folder, 'meta', 'runtime.yml'), KINDS[kind]);
  return tidy([...namesIn(join(folder, 'plugins', KINDS[kind])), ...Object.keys(moved)]);
}

/** The names of ansible-core, and those under which it has them once more. */
function coreNames(root: string, kind: Kind): string {
  const folder = kind === 'modules' ? ['modules'] : ['plugins', KINDS[kind]];
  const again = [...shortNames(root, kind)].filter(([, full]) => collectionOf(full) === CORE);
  return tidy([...namesIn(join(root, 'ansible', ...folder)), ...again.map(([name]) => name)]);
}

/** Where ansible-core sends short names. */
function shortNames(root: string, kind: Kind): ReadonlyMap<string, string> {
  const file = join(root, 'ansible', 'config', 'ansible_builtin_runtime.yml');
  const actions = kind === 'modules' ? routesIn(file, 'action') : {};
  const routes = { ...actions, ...routesIn(file, KINDS[kind]) };
  const chosen = Object.entries(routes).flatMap(([name, { redirect }]) =>
    isName(name) && redirect !== undefined && !TESTS_OWN.test(redirect) && !TESTS_OWN.test(name)
      ? [[name, redirect] as const]
      : [],
  );
  return new Map(chosen);
}

/** Some entries are about files. */
function isName(name = ''): boolean {
  return /^[a-z]\w*$/i.test(name) && name !== 'plugins';
}

function collectionOf(full: string): string {
  return full.split('.').slice(0, 2).join('.');
}

/** Where a module is in the end: collections move theirs, and some are gone from where ansible-core sends them. */
function homeOf(root: string, full: string, seen: readonly string[] = []): string {
  const [collection, name] = [collectionOf(full), full.split('.').slice(2).join('.')];
  const folder = join(root, 'ansible_collections', ...collection.split('.'));
  const { redirect } = routesIn(join(folder, 'meta', 'runtime.yml'), 'modules')[name] ?? {};
  if (redirect !== undefined && isName(redirect.split('.')[2]) && !seen.includes(redirect))
    return homeOf(root, redirect, [...seen, redirect]);
  if (modulesIn(folder).includes(name)) return full;
  const other = COLLECTIONS.find((each) =>
    modulesIn(join(root, 'ansible_collections', ...each.split('.'))).includes(name),
  );
  return other === undefined ? full : `${other}.${name}`;
}

const modules = new Map<string, readonly string[]>();

function modulesIn(folder: string): readonly string[] {
  const names = modules.get(folder) ?? namesIn(join(folder, 'plugins', 'modules'));
  modules.set(folder, names);
  return names;
}

function literal(kind: Kind, root: string): string {
  const all = [
    ['ansible.builtin', coreNames(root, kind)],
    ...COLLECTIONS.map((collection) => [collection, collectionNames(root, collection, kind)]),
  ].filter(([, names]) => names !== '');
  return `{${all.map(([collection, names]) => `'${collection}': '${names}',`).join('\n')}}`;
}

/** Short names whose module is not in the first collection that has the name, by the collection that has it. */
function redirects(root: string): string {
  const found = new Map<string, string>();
  for (const collection of COLLECTIONS.toReversed()) {
    for (const name of collectionNames(root, collection, 'modules').split(' '))
      found.set(name, `${collection}.${name}`);
  }
  const routes = [...shortNames(root, 'modules')]
    .filter(([, full]) => collectionOf(full) !== CORE)
    .map(([name, full]) => [name, homeOf(root, full)] as const)
    .filter(([name, full]) => found.get(name) !== full);
  return byCollection(routes);
}

/** `collection: name other=name`: the names as written, then those in the collection where they differ. */
function byCollection(routes: readonly (readonly [name: string, full: string])[]): string {
  const groups = new Map<string, string[]>();
  for (const [name, full] of routes) {
    const collection = collectionOf(full);
    const own = full.slice(collection.length + 1);
    const names = groups.get(collection) ?? [];
    groups.set(collection, [...names, name === own ? name : `${name}=${own}`]);
  }
  const sorted = [...groups.keys()].sort();
  const words = sorted.flatMap((each) => [`${each}:`, ...(groups.get(each)?.sort() ?? [])]);
  return `'${words.join(' ')}'`;
}

const [root] = process.argv.slice(2);
if (root === undefined) throw new Error('tsx scripts/ansible-names.ts FOLDER');
const tables = (Object.keys(KINDS) as Kind[]).map((kind) => `${kind}: ${literal(kind, root)},`);
writeFileSync(
  TARGET,
  `/** Written by scripts/ansible-names.ts: what ansible-core 2.19 and ansible 12 bring, by collection. */

type Kind = 'modules' | 'filters' | 'lookups' | 'tests';

export const ANSIBLE_NAMES: Readonly<Record<Kind, Readonly<Record<string, string>>>> = {${tables.join('\n')}};

/** Short names of modules that are not in the first collection that has the name: \`collection: name name=its name there\`. */
export const REDIRECTS = ${redirects(root)};
`,
);
