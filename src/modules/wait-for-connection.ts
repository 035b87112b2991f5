import { defineConversation, TaskError } from '../engine/module.ts';
import { integer, object } from '../shared/schema.ts';
import { retry } from './support/come-back.ts';

export const waitForConnection = defineConversation({
  name: 'wait_for_connection',
  aliases: ['ansible.builtin.wait_for_connection'],
  summary: 'Wait until a host can be reached and runs commands.',

  args: object({
    timeout: integer('Seconds until the task fails.', { default: 600 }),
    connect_timeout: integer('Seconds for one attempt to connect.', { default: 5 }),
    delay: integer('Seconds before the first attempt.', { default: 0 }),
    sleep: integer('Seconds between two attempts.', { default: 1 }),
  }),

  examples: [
    { title: 'Wait for a machine that is being started', args: { delay: 10, timeout: 300 } },
  ],

  returns: { elapsed: 'Seconds that were waited.' },

  resultInCheckMode: () => ({ skipped: true }),

  async run(talk, { timeout, connect_timeout: connectTimeout, delay, sleep }) {
    const start = Date.now();
    if (delay > 0) await talk.sleep(delay * 1000);
    const deadline = start + timeout * 1000;
    const reason = await retry(talk, { deadline, pauseMs: () => sleep * 1000 }, async () => {
      await talk.reconnect({ timeoutMs: connectTimeout * 1000 });
      return true;
    });
    const elapsed = Math.floor((Date.now() - start) / 1000);
    if (reason === undefined) return { result: { elapsed } };
    throw new TaskError(`timed out waiting for the connection: ${reason}`, { result: { elapsed } });
  },
});
