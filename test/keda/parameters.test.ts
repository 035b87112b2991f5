import { readFileSync } from 'node:fs';
import { expect } from 'chai';
import { brokenRules } from '../../src/scaler/broken-rules.ts';
import { metricNameOf } from '../../src/scaler/decide/metrics.ts';
import { readParameters, spellOutVariables } from '../../src/scaler/read-parameters.ts';
import type { AnyTrigger, MetricType, TriggerContext } from '../../src/scaler/trigger.ts';
import { triggers } from '../../src/scaler/triggers/registry.ts';

type Texts = Readonly<Record<string, string>>;

/**
 * A parameter set of a test of KEDA 2.21.0, or one where a single parameter was varied, and what its parser made of it.
 */
interface ParameterSet {
  readonly type: string;
  readonly kind: string;
  readonly namespace?: string;
  readonly metadata?: Texts;
  readonly auth?: Texts;
  readonly env?: Texts;
  readonly podIdentity?: string;
  readonly metricType?: MetricType;
  readonly index?: number;
  readonly member?: boolean;
  readonly accepts: boolean;
  readonly metricName?: string;
}

/** Rows of docs/differences-keda.md, and the sets that they are about. */
const DIFFERENCES: Readonly<Record<string, (set: ParameterSet) => boolean>> = {
  'logins-not-built': ({ accepts, metadata, auth }) =>
    accepts && /"(?:gssapi|aws_msk_iam)"/.test(JSON.stringify([metadata, auth])),
  'identities-not-built': ({ accepts, podIdentity }) => accepts && podIdentity !== undefined,
};

describe('Parameters of triggers: the verdicts and metric names of KEDA', () => {
  const sets = ['parameters', 'varied-parameters']
    .flatMap((name) => readFileSync(`test/keda/${name}.jsonl`, 'utf8').trim().split('\n'))
    .map((line): ParameterSet => JSON.parse(line));
  const rows = readFileSync('docs/differences-keda.md', 'utf8');
  const used = new Set<string>();

  for (const type of new Set(sets.map((set) => set.type))) {
    it(`are equal for ${type}`, () => {
      const different = sets
        .filter((set) => set.type === type)
        .map((set) => ({ set, ours: judge(set) }))
        .filter(({ set, ours }) => !isEqual(set, ours))
        .filter(({ set }) => {
          const id = Object.keys(DIFFERENCES).find((each) => DIFFERENCES[each]?.(set));
          if (id !== undefined) used.add(id);
          return id === undefined || !rows.includes(`| \`${id}\` |`);
        });
      expect(different.map((each) => JSON.stringify(each))).to.deep.equal([]);
    });
  }

  it('differ for every cause that is told', () => {
    expect([...used].sort()).to.deep.equal(Object.keys(DIFFERENCES).sort());
  });

  it('are known for at least 2000 sets of 22 types', () => {
    expect(sets.length).to.be.at.least(2000);
    expect(new Set(sets.map((set) => set.type)).size).to.be.at.least(22);
  });
});

interface Verdict {
  readonly mistakes: readonly string[];
  readonly metricName?: string;
}

function judge({ type, metadata = {}, auth = {}, env = {}, ...set }: ParameterSet): Verdict {
  const trigger = triggers[type as keyof typeof triggers] as AnyTrigger;
  const context: TriggerContext = {
    object: { kind: set.kind, namespace: set.namespace ?? 'shop', name: 'cart' },
    index: set.index ?? 0,
    name: undefined,
    metricType: set.metricType ?? (trigger.open === undefined ? undefined : 'AverageValue'),
    podIdentity: set.podIdentity,
    isMember: set.member ?? false,
  };
  const { values, problems, wrong } = readParameters(trigger.parameters, {
    metadata: spellOutVariables(trigger.parameters, metadata, (text) => Object.hasOwn(env, text)),
    authentication: auth,
    environment: env,
  });
  const mistakes = [
    ...problems.map(({ parameter, message }) => `${parameter} ${message}`),
    ...brokenRules(trigger, values, { wrong }, context),
  ];
  const metric = mistakes.length === 0 ? trigger.metric?.(values, context) : undefined;
  if (metric?.kind !== 'external') return { mistakes };
  return { mistakes, metricName: metricNameOf(context.index, metric.name) };
}

function isEqual(set: ParameterSet, { mistakes, metricName }: Verdict): boolean {
  const accepts = mistakes.length === 0;
  if (accepts !== set.accepts) return false;
  return !accepts || set.metricName === undefined || set.metricName === metricName;
}
