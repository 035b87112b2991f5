import { type Conversation, defineConversation, TaskError, type Value } from '../engine/module.ts';
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
      return { result: { failed: false, skipped: true, skipped_reason } };
    }
    return { result: shown(conversation) };
  },
});

function shown({ rawArgs, evaluateGiven }: Conversation): Record<string, unknown> {
  const written = rawArgs.get('var') ?? null;
  const expression = isObjectWith(written, 'text') ? evaluateGiven(written) : written;
  if (expression === null || isOmitted(expression)) {
    return { msg: rawArgs.has('msg') ? rawArgs.get('msg') : 'Hello world!' };
  }
  if (typeof expression === 'object' || expression === undefined) throw notText();
  const value = evaluateGiven(expression);
  const isAbsent = value === undefined || isOmitted(value);
  return { [String(expression)]: isAbsent ? 'VARIABLE IS NOT DEFINED!' : value };
}

function isOmitted(value: Value | undefined): boolean {
  return isObjectWith(value, 'kind') && value.kind === 'omit';
}

function isObjectWith<Key extends string>(
  value: Value | undefined,
  key: Key,
): value is Extract<Value, Record<Key, unknown>> {
  return typeof value === 'object' && value !== null && key in value;
}

function notText(): TaskError {
  return new TaskError('var is not text', { hint: 'var takes a variable or an expression' });
}
