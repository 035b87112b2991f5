import { defineConversation, TaskError } from '../engine/module.ts';
import { choice, object } from '../shared/schema.ts';

const ACTIONS = [
  'clear_facts',
  'clear_host_errors',
  'end_batch',
  'end_host',
  'end_play',
  'end_role',
  'flush_handlers',
  'noop',
  'refresh_inventory',
  'reset_connection',
] as const;

export const meta = defineConversation({
  name: 'meta',
  aliases: ['ansible.builtin.meta'],
  summary: 'Steer the run itself: handlers, facts, errors, the end of a play.',
  local: true,
  freeForm: 'free_form',

  args: object({
    free_form: choice(
      ACTIONS,
      'What to do. `flush_handlers` runs notified handlers now. `end_play`, `end_batch`, `end_host` and `end_role` stop without failure. `clear_facts` and `clear_host_errors` forget. `refresh_inventory` reads the inventory again. `reset_connection` opens the connection anew.',
    ),
  }),

  examples: [
    { title: 'Run notified handlers now', args: { free_form: 'flush_handlers' } },
    { title: 'Leave the play on this host', args: { free_form: 'end_host' } },
  ],

  returns: {},

  /** The engine carries the actions out; only `tsprov run -m meta` comes here. */
  async run(_conversation, { free_form }) {
    throw new TaskError(`meta ${free_form} works in a play only`, {
      hint: 'write it as a task of a playbook',
    });
  },
});
