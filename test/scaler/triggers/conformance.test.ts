import { readdirSync } from 'node:fs';
import { expect } from 'chai';
import { brokenRules } from '../../../src/scaler/broken-rules.ts';
import { metadataNames, readParameters } from '../../../src/scaler/read-parameters.ts';
import type { Parameter, TriggerContext } from '../../../src/scaler/trigger.ts';
import { triggers } from '../../../src/scaler/triggers/registry.ts';

const CONTEXT: TriggerContext = {
  object: { kind: 'ScaledObject', namespace: 'shop', name: 'orders' },
  index: 0,
  name: undefined,
  metricType: 'AverageValue',
  isMember: false,
};
const SENTENCE = /^[A-Z].*\.$/s;

describe('triggers', () => {
  it('are all in the registry, by the names of their files', () => {
    const files = readdirSync('src/scaler/triggers')
      .filter((file) => file.endsWith('.ts') && file !== 'registry.ts')
      .map((file) => file.replace('.ts', ''));
    expect(Object.keys(triggers).sort()).to.deep.equal(files.sort());
  });

  for (const [type, trigger] of Object.entries(triggers)) {
    describe(type, () => {
      it('has the type that its file is named after', () => {
        expect(trigger.type).to.equal(type);
      });

      it('is described, and so is each of its parameters', () => {
        const parameters = Object.entries<Parameter<unknown>>(trigger.parameters);
        const texts = [
          trigger.summary,
          ...(trigger.notes ?? []),
          ...parameters.map(([, { description }]) => description),
        ];
        expect(texts.filter((text) => !SENTENCE.test(text))).to.deep.equal([]);
      });

      it('takes secrets from metadata only where it must', () => {
        const names = metadataNames(trigger.parameters);
        const leaking = Object.entries<Parameter<unknown>>(trigger.parameters)
          .filter(([name, { secret }]) => secret && names.includes(name))
          .map(([name]) => `${type}.${name}`);
        expect(leaking.filter((name) => !SECRETS_IN_METADATA.has(name))).to.deep.equal([]);
      });

      it('is checked as far as it can be where parameters are missing or wrong', () => {
        const nothing = { metadata: {}, authentication: {}, environment: {} };
        const { values, wrong: missing } = readParameters(trigger.parameters, nothing);
        for (const name of Object.keys(trigger.parameters)) {
          const wrong = [...missing, name];
          const sentences = brokenRules(trigger, values, { wrong }, CONTEXT);
          expect(sentences.filter((each) => wrong.some((one) => each.includes(one)))).to.be.empty;
        }
      });

      it('knows its metric, or asks the source for it', () => {
        expect(trigger.metric !== undefined || trigger.open !== undefined).to.equal(true);
      });
    });
  }
});

/** Secret parameters that manifests of KEDA may hold in clear. */
const SECRETS_IN_METADATA = new Set<string>([
  'metrics-api.apiKey',
  'prometheus.apiKey',
  'rabbitmq.host',
  ...['redis', 'redis-cluster', 'redis-sentinel'].flatMap((type) =>
    [type, `${type}-streams`].flatMap((name) => [`${name}.password`, `${name}.sentinelPassword`]),
  ),
]);
