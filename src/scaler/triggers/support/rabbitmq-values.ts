/** The numbers of queues, and what each mode makes of them. */
import type { Reading } from '../../trigger.ts';
import type { RabbitmqMode, RabbitmqValues } from './rabbitmq-parameters.ts';

export interface QueueNumbers {
  readonly messages: number;
  /** Messages a second, in and out. */
  readonly publishRate: number;
  readonly deliverRate: number;
}

/** Several queues as one. Of messages, an average is a whole number. */
export function combineQueues(
  queues: readonly QueueNumbers[],
  operation: RabbitmqValues['operation'],
): QueueNumbers {
  const combine = (values: readonly number[]) => {
    if (values.length === 0) return 0;
    if (operation === 'max') return Math.max(...values);
    const sum = values.reduce((total, value) => total + value, 0);
    return operation === 'avg' ? sum / values.length : sum;
  };
  return {
    messages: Math.trunc(combine(queues.map(({ messages }) => messages))),
    publishRate: combine(queues.map(({ publishRate }) => publishRate)),
    deliverRate: combine(queues.map(({ deliverRate }) => deliverRate)),
  };
}

/** Where nobody takes messages out, a ratio has no value: the trigger is active at its activation value. */
export function readingOf(mode: RabbitmqMode, queue: QueueNumbers, activation: number): Reading {
  const { messages, publishRate, deliverRate } = queue;
  const above = (value: number): Reading => ({ value, isActive: value > activation });
  switch (mode) {
    case 'QueueLength':
      return above(messages);
    case 'MessageRate':
      return { value: publishRate, isActive: publishRate > activation || messages > activation };
    case 'DeliverGetRate':
      return above(deliverRate);
    case 'PublishedToDeliveredRatio':
      if (deliverRate > 0) return above(publishRate / deliverRate);
      return publishRate > 0 ? { value: activation, isActive: true } : above(0);
    case 'ExpectedQueueConsumptionTime':
      if (messages === 0) return above(0);
      if (deliverRate === 0) return { value: activation, isActive: true };
      return above((publishRate - deliverRate + messages) / deliverRate);
  }
}
