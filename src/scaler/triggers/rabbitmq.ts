import { defineTrigger } from '../trigger.ts';
import { openAmqp } from './support/rabbitmq-amqp.ts';
import { checkRabbitmq, checkRabbitmqSource } from './support/rabbitmq-check.ts';
import { openManagement } from './support/rabbitmq-management.ts';
import { protocolOf, questionOf, rabbitmqParameters } from './support/rabbitmq-parameters.ts';

export const rabbitmq = defineTrigger({
  type: 'rabbitmq',
  summary: 'Scales on messages of RabbitMQ: how many wait, or how fast they come and go.',
  parameters: rabbitmqParameters,
  check: checkRabbitmq,
  checkSource: checkRabbitmqSource,

  metric: (values) => ({
    kind: 'external',
    name: `rabbitmq-${escapeName(values.queueName)}`,
    target: questionOf(values).target ?? 0,
  }),

  open: (values, tools) =>
    protocolOf(values) === 'http' ? openManagement(values, tools) : openAmqp(values, tools),
});

/** As in the query of a URL. */
function escapeName(queue: string): string {
  return String(new URLSearchParams({ q: queue }))
    .slice(2)
    .replaceAll('*', '%2A');
}
