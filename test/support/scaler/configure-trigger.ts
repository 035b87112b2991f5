import { brokenRules, sourceProblems } from '../../../src/scaler/broken-rules.ts';
import { type ParameterSources, readParameters } from '../../../src/scaler/read-parameters.ts';
import { tlsOptions } from '../../../src/scaler/tls.ts';
import type {
  AnyTrigger,
  Metric,
  TriggerContext,
  TriggerTools,
} from '../../../src/scaler/trigger.ts';

/** What a user wrote for one trigger. */
export interface Given extends Partial<ParameterSources> {
  readonly context?: Partial<TriggerContext>;
}

/** What the scaler makes of it before anything is asked. */
export interface Configured {
  /** Of the parameters first, then those between them, then what the source cannot be asked with. */
  readonly problems: readonly string[];
  readonly notices: readonly string[];
  /** Only without problems. */
  readonly metric?: Metric;
  // biome-ignore lint/suspicious/noExplicitAny: the values of any trigger.
  readonly values: any;
}

const NOBODY = { metadata: {}, authentication: {}, environment: {} };
const CONTEXT: TriggerContext = {
  object: { kind: 'ScaledObject', namespace: 'shop', name: 'cart' },
  index: 0,
  name: undefined,
  metricType: undefined,
  isMember: false,
};

export function configureTrigger(trigger: AnyTrigger, given: Given): Configured {
  const context = { ...CONTEXT, ...given.context };
  const read = readParameters(trigger.parameters, { ...NOBODY, ...given });
  const { values, wrong, notices } = read;
  const problems = [
    ...read.problems.map(({ parameter, message }) => `${parameter} ${message}`),
    ...brokenRules(trigger, values, { wrong }, context),
    ...sourceProblems(trigger, values, { wrong }, context),
  ];
  if (problems.length > 0 || trigger.metric === undefined) return { problems, notices, values };
  return { problems, notices, values, metric: trigger.metric(values, context) };
}

/** Tools of a trigger that fail where a test gives nothing in their place. */
export function toolsWith(given: Partial<TriggerTools> = {}): TriggerTools {
  const unexpected = (what: string) => () => Promise.reject(new Error(`${what} was not expected`));
  return {
    ...CONTEXT,
    metadata: {},
    http: {
      request: unexpected('a request'),
      lines: () => {
        throw new Error('a stream was not expected');
      },
    },
    cluster: {
      pods: unexpected('a list of pods'),
      data: unexpected('a read of data'),
      endpoints: unexpected('a list of endpoints'),
    },
    tls: (material) => tlsOptions({ authorities: [], leastVersion: 'TLSv1.2' }, material),
    now: () => new Date(0),
    notify: () => {},
    ...given,
  };
}

/** Opens a trigger on what a user wrote; throws where that has problems. */
export async function openTrigger(
  trigger: AnyTrigger,
  given: Given,
  tools: Partial<TriggerTools> = {},
) {
  const { problems, values } = configureTrigger(trigger, given);
  if (problems.length > 0 || trigger.open === undefined) throw new Error(problems.join('\n'));
  return trigger.open(values, toolsWith({ metadata: given.metadata ?? {}, ...tools }));
}
