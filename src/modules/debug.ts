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

function shown({ rawArgs, evaluate }: Conversation): Record<string, unknown> {
  const written = rawArgs.get('var');
  if (written === undefined || written === null) {
    return { msg: rawArgs.has('msg') ? rawArgs.get('msg') : 'Hello world!' };
  }
  const expression = isTemplate(written) ? nameFrom(evaluate(written)) : written;
  if (typeof expression === 'object' || expression === undefined) throw notText();
  return { [String(expression)]: evaluate(expression) ?? 'VARIABLE IS NOT DEFINED!' };
}

/** What a template comes to may be data of a host: only the name of a variable is taken from it. */
function nameFrom(rendered: Value | undefined): Value {
  if (typeof rendered !== 'string') throw notText();
  if (/^[A-Za-z_][\w.]*$/.test(rendered)) return rendered;
  throw new TaskError(`var comes to "${rendered}", which is not the name of a variable`, {
    hint: 'write an expression without braces, or use msg',
  });
}

function isTemplate(value: Value): boolean {
  return typeof value === 'object' && value !== null && 'text' in value;
}

function notText(): TaskError {
  return new TaskError('var is not text', { hint: 'var takes a variable or an expression' });
}
