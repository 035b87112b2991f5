import { type Conversation, defineConversation, TaskError } from '../engine/module.ts';
import { checkSpecification } from '../shared/argument-specification.ts';
import { dict, object, optional } from '../shared/schema.ts';

export const validateArgumentSpec = defineConversation({
  name: 'validate_argument_spec',
  aliases: ['ansible.builtin.validate_argument_spec'],
  summary: "Checks variables against a specification of a role's arguments.",

  args: object({
    argument_spec: dict('Options by name: type, required, default, choices, elements, options.'),
    provided_arguments: dict('Values to check; those left out are the variables of that name.', {
      default: {},
    }),
    validate_args_context: optional(dict('Where the specification comes from; given back.')),
  }),

  examples: [
    {
      title: 'Check that a port is a number',
      args: {
        argument_spec: { port: { type: 'int', required: true } },
        provided_arguments: { port: 80 },
      },
    },
  ],

  returns: {
    validate_args_context: 'Where the specification comes from.',
    argument_errors: 'What is wrong, one sentence for each fault.',
    argument_spec_data: 'The specification that was checked.',
  },

  local: true,

  async run(conversation, args) {
    const { argument_spec: spec, provided_arguments: provided, validate_args_context } = args;
    const context = { validate_args_context: validate_args_context ?? {} };
    const values = { ...variablesOf(conversation, Object.keys(spec)), ...provided };
    const errors = checkSpecification(spec, values);
    if (errors.length > 0) {
      throw new TaskError(`Validation of arguments failed:\n${errors.join('\n')}`, {
        result: { argument_errors: errors, argument_spec_data: spec, ...context },
      });
    }
    return { result: { changed: false, msg: 'The arg spec validation passed', ...context } };
  },
});

/** The variables of these names, as far as they are defined. */
function variablesOf(
  conversation: Conversation,
  names: readonly string[],
): Record<string, unknown> {
  return Object.fromEntries(
    names.flatMap((name) => {
      const value = conversation.plainVariable(name);
      return value === undefined ? [] : [[name, value]];
    }),
  );
}
