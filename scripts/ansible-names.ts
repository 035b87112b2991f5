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
  const kept = [...new Set(names)].filter((name) => /^[a-z]\w*$/i.test(name));
  return kept.sort().join(' ');
}

function collectionNames(root: string, collection: string, kind: Kind): string {
  const folder = join(root, 'ansible_collections', ...collection.split('.'));
  const moved = routesIn(join(folder, 'meta', 'runtime.yml'), KINDS[kind]);
  return tidy([...namesIn(join(folder, 'plugins', KINDS[kind])), ...Object.keys(moved)]);
}

function coreNames(root: string, kind: Kind): string {
  const folder = kind === 'modules' ? ['modules'] : ['plugins', KINDS[kind]];
  return tidy(namesIn(join(root, 'ansible', ...folder)));
}

/** Where ansible-core sends short names. */
function shortNames(root: string, kind: Kind): ReadonlyMap<string, string> {
  const file = join(root, 'ansible', 'config', 'ansible_builtin_runtime.yml');
  const actions = kind === 'modules' ? routesIn(file, 'action') : {};
  const routes = { ...actions, ...routesIn(file, KINDS[kind]) };
  const chosen = Object.entries(routes).flatMap(([name, { redirect = '' }]) => {
    const collection = redirect.split('.').slice(0, 2).join('.');
    return ['ansible.builtin', ...COLLECTIONS].includes(collection)
      ? [[name, redirect] as const]
      : [];
  });
  return new Map(chosen);
}

function literal(kind: Kind, root: string): string {
  const all = [
    ['ansible.builtin', coreNames(root, kind)],
    ...COLLECTIONS.map((collection) => [collection, collectionNames(root, collection, kind)]),
  ].filter(([, names]) => names !== '');
  return `{${all.map(([collection, names]) => `'${collection}': '${names}',`).join('\n')}}`;
}

/** Only redirects to another name, or to a collection that is not the first to have the name. */
function redirects(root: string): string {
  const found = new Map<string, string>();
  for (const collection of COLLECTIONS.toReversed()) {
    for (const name of collectionNames(root, collection, 'modules').split(' '))
      found.set(name, `${collection}.${name}`);
  }
  const routes = [...shortNames(root, 'modules')].flatMap(([name, full]) =>
    found.get(name) === full ? [] : [`${name}=${full}`],
  );
  return `'${routes.sort().join(' ')}'`;
}

const [root] = process.argv.slice(2);
if (root === undefined) throw new Error('tsx scripts/ansible-names.ts FOLDER');
const tables = (Object.keys(KINDS) as Kind[]).map((kind) => `${kind}: ${literal(kind, root)},`);
writeFileSync(
  TARGET,
  `/** Written by scripts/ansible-names.ts: what ansible-core 2.19 and ansible 12 bring, by collection. */

type Kind = 'modules' | 'filters' | 'lookups' | 'tests';

export const ANSIBLE_NAMES: Readonly<Record<Kind, Readonly<Record<string, string>>>> = {${tables.join('\n')}};

/** Short names of modules that ansible-core sends elsewhere than to the first collection that has them. */
export const REDIRECTS = ${redirects(root)};
`,
);
