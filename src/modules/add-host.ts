import { isDeepStrictEqual } from 'node:util';
import { type Conversation, defineConversation, TaskError, type Value } from '../engine/module.ts';
import { object, optional, raw, string } from '../shared/schema.ts';

/** Arguments that are not variables of the new host. */
const OWN_ARGUMENTS = ['name', 'host', 'hostname', 'groups', 'group', 'groupname'];

export const addHost = defineConversation({
  name: 'add_host',
  aliases: ['ansible.builtin.add_host'],
  summary: 'Add a host to the inventory of the run.',
  local: true,
  once: true,
  openArgs: true,

  args: object({
    name: string('Name of the host, with a port behind a colon if need be.', {
      aliases: ['host', 'hostname'],
    }),
    groups: optional(
      raw('Groups that it joins: a list, or text parted by commas.', {
        aliases: ['group', 'groupname'],
      }),
    ),
  }),

  examples: [
    {
      title: 'Add a new machine to a group, with a variable',
      args: { name: '{{ new_ip }}', groups: ['workers'], node_zone: 'b' },
    },
  ],

  returns: { add_host: 'Name, groups and variables of the host.' },

  async run(conversation, { name, groups }) {
    const { host, port } = splitPort(name);
    const names = readGroups(groups);
    const own = [...conversation.rawArgs].filter(([key]) => !OWN_ARGUMENTS.includes(key));
    const variables = new Map([...(port ? [['ansible_ssh_port', port] as const] : []), ...own]);
    const host_vars = Object.fromEntries(variables);
    return {
      result: {
        changed: isNew(conversation, host, names) || brings(conversation, host, variables),
        add_host: { host_name: host, groups: names, host_vars },
      },
      effects: { addHost: { name: host, groups: names, variables } },
    };
  },
});

/** `web1:2222`, but not an IPv6 address, which has more colons. */
function splitPort(name: string): { host: string; port: number | undefined } {
  const [, host, port] = /^([^:]+|\[.+\]):(\d+)$/.exec(name) ?? [];
  if (host === undefined) return { host: name, port: undefined };
  return { host: host.replace(/^\[(.+)\]$/, '$1'), port: Number(port) };
}

function readGroups(groups: unknown): readonly string[] {
  if (groups === undefined) return [];
  const list = typeof groups === 'string' ? groups.split(',') : groups;
  if (!Array.isArray(list)) throw new TaskError('Groups must be specified as a list.');
  return list.map((group) => String(group).trim()).filter(Boolean);
}

function isNew({ variable }: Conversation, host: string, groups: readonly string[]): boolean {
  const known = variable('groups');
  if (!(known instanceof Map)) return true;
  const holds = (group: string) => {
    const hosts = known.get(group);
    return Array.isArray(hosts) && hosts.includes(host);
  };
  return !['all', ...groups].every(holds);
}

/** Whether the host does not have one of the variables yet. */
function brings(
  { evaluate }: Conversation,
  host: string,
  variables: ReadonlyMap<string, Value>,
): boolean {
  const known = (name: string) =>
    evaluate(`hostvars[${JSON.stringify(host)}][${JSON.stringify(name)}]`);
  return [...variables].some(([name, value]) => !isDeepStrictEqual(known(name), value));
}
