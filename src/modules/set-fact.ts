import { defineConversation, TaskError } from '../engine/module.ts';
import { boolean, object } from '../shared/schema.ts';
import { isVariableName, VARIABLE_NAME_RULE } from '../shared/variable-name.ts';

export const setFact = defineConversation({
  name: 'set_fact',
  aliases: ['ansible.builtin.set_fact'],
  summary: 'Set variables of a host for the rest of the run.',
  local: true,
  openArgs: true,
  rendersNames: true,

  args: object({
    cacheable: boolean('Keep the variables as facts too, so that a fact cache holds them.', {
      default: false,
    }),
  }),

  examples: [
    { title: 'Set two variables', args: { node_role: 'worker', node_zone: '{{ rack[0] }}' } },
    { title: 'Set a variable that a fact cache keeps', args: { node_id: 7, cacheable: true } },
  ],

  returns: { ansible_facts: 'The variables that were set.' },

  async run({ rawArgs }, { cacheable }) {
    const facts = new Map([...rawArgs].filter(([name]) => name !== 'cacheable'));
    if (facts.size === 0) {
      throw new TaskError(
        'No key/value pairs provided, at least one is required for this action to succeed',
      );
    }
    for (const name of facts.keys()) checkName(name);
    return {
      result: { ansible_facts: Object.fromEntries(facts) },
      effects: { setFacts: facts, cacheable },
    };
  },
});

function checkName(name: string): void {
  if (isVariableName(name)) return;
  throw new TaskError(`Invalid variable name '${name}'.`, {
    hint: VARIABLE_NAME_RULE,
  });
}
