import { type Conversation, defineConversation, TaskError } from '../engine/module.ts';
import { integer, object, optional, raw } from '../shared/schema.ts';

export const debug = defineConversation({
  name: 'debug',
  aliases: ['ansible.builtin.debug'],
  summary: 'Print a message or the value of a variable or an expression.',
  local: true,
  asWritten: ['var'],
  mutuallyExclusive: [['msg', 'var']],

  args: object({
    msg: optional(raw('What to print. Without `msg` and `var`, a greeting.')),
    var: optional(raw('Variable or expression whose value is printed under its own text.')),
    verbosity: integer('Print only when the run is at least this verbose.', { default: 0 }),
  }),

  examples: [
    { title: 'Print a message', args: { msg: 'The node is {{ inventory_hostname }}' } },
    { title: 'Print a variable', args: { var: 'ansible_facts.default_ipv4.address' } },
    { title: 'Print only with -vv', args: { var: 'hostvars[inventory_hostname]', verbosity: 2 } },
  ],

  returns: { msg: 'The message; or, under the text of `var`, its value.' },

  async run(conversation, { verbosity }) {
    if (Number(conversation.variable('ansible_verbosity') ?? 0) < verbosity) {
      const skipped_reason = 'Verbosity threshold not met.';
      return { result: { skipped: true, skipped_reason } };
    }
    return { result: shown(conversation) };
  },
});

function shown({ rawArgs, evaluate }: Conversation): Record<string, unknown> {
  const expression = rawArgs.get('var');
  if (expression !== undefined && expression !== null) {
    if (typeof expression === 'object' && !('text' in expression)) {
      throw new TaskError('var is not text', { hint: 'var takes a variable or an expression' });
    }
    const text = typeof expression === 'object' ? expression.text : String(expression);
    return { [text]: evaluate(expression) ?? 'VARIABLE IS NOT DEFINED!' };
  }
  return { msg: rawArgs.has('msg') ? rawArgs.get('msg') : 'Hello world!' };
}
