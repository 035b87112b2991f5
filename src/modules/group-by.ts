import { defineConversation } from '../engine/module.ts';
import { object, raw, string } from '../shared/schema.ts';

export const groupBy = defineConversation({
  name: 'group_by',
  aliases: ['ansible.builtin.group_by'],
  summary: 'Put each host into a group that depends on its facts.',
  local: true,

  args: object({
    key: string('Name of the group; blanks become dashes.'),
    parents: raw('Group or list of groups that the group belongs to.', { default: ['all'] }),
  }),

  examples: [
    {
      title: 'Group hosts by distribution, for the plays that follow',
      args: { key: 'os_{{ ansible_facts.distribution }}' },
    },
  ],

  returns: {
    add_group: 'Name of the group.',
    parent_groups: 'Groups that it belongs to.',
  },

  async run(_conversation, { key, parents }) {
    const group = dashed(key);
    const above = (Array.isArray(parents) ? parents : [parents]).map(dashed);
    return {
      result: { changed: true, add_group: group, parent_groups: above },
      effects: { groupBy: { group, parents: above } },
    };
  },
});

function dashed(name: unknown): string {
  return String(name).replaceAll(' ', '-');
}
