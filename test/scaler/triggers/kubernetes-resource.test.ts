import { expect } from 'chai';
import type { ClusterReader } from '../../../src/scaler/trigger.ts';
import { kubernetesResource } from '../../../src/scaler/triggers/kubernetes-resource.ts';
import { configureTrigger } from '../../support/scaler/configure-trigger.ts';
import { readTrigger } from '../../support/scaler/read-trigger.ts';

const metadata = {
  resourceKind: 'ConfigMap',
  resourceName: 'queue',
  key: 'length',
  targetValue: '5',
  activationTargetValue: '3',
};

describe('trigger kubernetes-resource', () => {
  const read = (change: Record<string, string>, data: Record<string, string> | undefined) => {
    const cluster: ClusterReader = {
      pods: async () => [],
      endpoints: async () => [],
      data: async (kind, namespace, name) =>
        kind === (change['resourceKind'] ?? 'ConfigMap') && namespace === 'shop' && name === 'queue'
          ? data
          : undefined,
    };
    return readTrigger(kubernetesResource, { metadata: { ...metadata, ...change } }, { cluster });
  };

  const VALUES: readonly (readonly [string, Record<string, string>, string, number])[] = [
    ['a number', {}, '12.5', 12.5],
    ['a number with text after it', {}, ' 12 messages\n', 12],
    ['the activation value itself', {}, '3', 3],
    ['a whole number', { valueType: 'int64' }, '12.9', 12],
    ['an amount', { valueType: 'quantity' }, '2k', 2000],
    ['JSON', { format: 'json', valueLocation: 'a.#(n=="x").v' }, '{"a":[{"n":"x","v":7}]}', 7],
    ['text in JSON', { format: 'json', valueLocation: 'a' }, '{"a":"500m"}', 0.5],
    ['YAML', { format: 'yaml', valueLocation: 'a.0.b' }, 'a:\n- b: 9\n', 9],
    ['a Secret', { resourceKind: 'Secret' }, '4', 4],
  ];
  for (const [title, change, length, value] of VALUES) {
    it(`reads ${title}`, async () => {
      expect(await read(change, { length })).to.deep.equal({ value, isActive: value > 3 });
    });
  }

  const json = { format: 'json', valueLocation: 'a' };
  const FAILURES: readonly (readonly [
    string,
    Record<string, string>,
    Record<string, string> | undefined,
    string,
  ])[] = [
    ['no object', {}, undefined, 'ConfigMap queue does not exist in namespace shop'],
    ['no key', {}, { other: '1' }, 'ConfigMap queue has no key length'],
    [
      'no number in a Secret',
      { resourceKind: 'Secret' },
      { length: 'hunter2' },
      'Secret queue: key length holds no number',
    ],
    [
      'no amount',
      { valueType: 'quantity' },
      { length: '2 GB' },
      'ConfigMap queue: key length holds no amount, such as 2Gi',
    ],
    ['no JSON', json, { length: '{' }, 'ConfigMap queue: key length is not JSON'],
    [
      'nothing there',
      json,
      { length: '{}' },
      'ConfigMap queue: key length has nothing at a, where a number or a quantity is needed',
    ],
    [
      'a word there',
      json,
      { length: '{"a":"hunter2"}' },
      'ConfigMap queue: key length has a string that is no number at a, ' +
        'where a number or a quantity is needed',
    ],
  ];
  for (const [title, change, data, message] of FAILURES) {
    it(`fails where there is ${title}`, async () => {
      expect(await read(change, data)).to.equal(message);
    });
  }

  it('names its metric after kind, name and key', () => {
    expect(configureTrigger(kubernetesResource, { metadata }).metric).to.deep.equal({
      kind: 'external',
      name: 'configmap-queue-length',
      target: 5,
    });
  });

  const INVALID: readonly (readonly [Record<string, string>, string])[] = [
    [
      { resourceKind: 'Deployment' },
      'resourceKind must be one of ConfigMap, Secret and not "Deployment"',
    ],
    [{ targetValue: '0' }, 'targetValue must be more than 0 and not 0'],
    [{ format: 'yaml' }, 'valueLocation is missing: format yaml needs it'],
    [
      { valueLocation: 'a' },
      'valueLocation has no meaning with format number: leave it out, or set json or yaml',
    ],
    [
      { format: 'json', valueLocation: 'a.@sum' },
      'valueLocation uses "@sum", and modifiers, literals and several paths at once are not ' +
        'supported: give the path of one value',
    ],
  ];
  for (const [change, problem] of INVALID) {
    it(`refuses ${JSON.stringify(change)}`, () => {
      const given = { metadata: { ...metadata, ...change } };
      expect(configureTrigger(kubernetesResource, given).problems).to.deep.equal([problem]);
    });
  }

  it('needs no target where it feeds a formula', () => {
    const given = { metadata: { ...metadata, targetValue: '0' }, context: { isMember: true } };
    expect(configureTrigger(kubernetesResource, given).problems).to.deep.equal([]);
  });
});
