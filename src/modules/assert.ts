import { type Conversation, defineConversation, TaskError, type Value } from '../engine/module.ts';
import { boolean, object, optional, raw } from '../shared/schema.ts';

export const assert = defineConversation({
  name: 'assert',
  aliases: ['ansible.builtin.assert'],
  summary: 'Fail unless conditions hold.',
  local: true,
  asWritten: ['that'],

  args: object({
    that: raw('A condition or a list of conditions, all of which must hold.'),
    fail_msg: optional(
      raw('What to say when a condition does not hold: text or a list.', { aliases: ['msg'] }),
    ),
    success_msg: optional(raw('What to say when all conditions hold: text or a list.')),
    quiet: boolean('Do not show the result of a success.', { default: false }),
  }),

  examples: [
    {
      title: 'Refuse a host that is too small',
      args: {
        that: ['ansible_facts.memtotal_mb >= 512', "ansible_facts.architecture == 'aarch64'"],
        fail_msg: 'An arm64 machine with 512 MB is needed',
      },
    },
  ],

  returns: {
    assertion: 'The condition that does not hold.',
    evaluated_to: 'False, when a condition does not hold.',
  },

  async run(conversation, { fail_msg, success_msg }) {
    const success = message('success_msg', success_msg ?? 'All assertions passed');
    const msg = message('fail_msg', fail_msg ?? 'Assertion failed');
    const assertion = firstFailing(conversation);
    if (assertion === undefined) return { result: { msg: success } };
    return { result: { failed: true, assertion, evaluated_to: false, msg } };
  },
});

function message(argument: string, value: unknown): unknown {
  const lines = Array.isArray(value) ? value : [value];
  if (lines.every((line) => typeof line === 'string')) return value;
  throw new TaskError(`${argument} is neither text nor a list of text`);
}

function firstFailing(conversation: Conversation): Value | undefined {
  const failing = conditionsOf(conversation).find((condition) => !conversation.test(condition));
  return isTemplate(failing) ? failing.text : failing;
}

/** The conditions: a template may stand for the whole list. */
function conditionsOf({ rawArgs, evaluateGiven }: Conversation): readonly Value[] {
  const that = rawArgs.get('that') ?? [];
  const listed = isTemplate(that) ? evaluateGiven(that) : that;
  return Array.isArray(listed) ? listed : [that];
}

function isTemplate(value: Value | undefined): value is Extract<Value, { text: string }> {
  return typeof value === 'object' && value !== null && 'text' in value;
}
