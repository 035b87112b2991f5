import { expect } from 'chai';
import type { MetricType } from '../../../src/scaler/trigger.ts';
import { cpu } from '../../../src/scaler/triggers/cpu.ts';
import { memory } from '../../../src/scaler/triggers/memory.ts';
import { configureTrigger } from '../../support/scaler/configure-trigger.ts';

describe('triggers cpu and memory', () => {
  const given = (metricType: MetricType | undefined, metadata: Record<string, string>) => ({
    metadata,
    context: { metricType },
  });

  it('name a percentage of what pods request', () => {
    expect(configureTrigger(cpu, given('Utilization', { value: '60' })).metric).to.deep.equal({
      kind: 'resource',
      resource: 'cpu',
      container: undefined,
      target: { utilization: 60 },
    });
  });

  it('name an amount of one container', () => {
    const metadata = { value: '1.5Gi', containerName: 'app' };
    expect(configureTrigger(memory, given('AverageValue', metadata)).metric).to.deep.equal({
      kind: 'resource',
      resource: 'memory',
      container: 'app',
      target: { averageValue: '1.5Gi' },
    });
  });

  const AMOUNT = 'value must be an amount above 0, such as 500m or 1Gi, and not ';
  const PERCENT = 'value must be a whole percentage above 0, such as 60, and not ';
  const INVALID: readonly (readonly [MetricType | undefined, string, string])[] = [
    [undefined, '60', 'metricType is missing: set Utilization or AverageValue'],
    ['Value', '60', 'metricType must not be Value: set Utilization or AverageValue'],
    ['AverageValue', '1 Gi', `${AMOUNT}"1 Gi"`],
    ['AverageValue', '0', `${AMOUNT}"0"`],
    ['AverageValue', '-5m', `${AMOUNT}"-5m"`],
    ['Utilization', '60%', `${PERCENT}"60%"`],
    ['Utilization', '0', `${PERCENT}"0"`],
    ['Utilization', '0.5', `${PERCENT}"0.5"`],
    ['Utilization', '2147483648', `${PERCENT}"2147483648"`],
  ];
  for (const [metricType, value, problem] of INVALID) {
    it(`refuse ${metricType ?? 'no metricType'} with ${value}`, () => {
      expect(configureTrigger(cpu, given(metricType, { value })).problems).to.deep.equal([problem]);
    });
  }

  it('refuse the old name of metricType, and need a value', () => {
    expect(
      configureTrigger(memory, given('Utilization', { type: 'Utilization' })).problems,
    ).to.deep.equal([
      'type is no longer supported: set metricType beside the type of the trigger',
      "value is missing: give value in the trigger's metadata",
    ]);
  });

  it('ask nothing themselves', () => {
    expect([cpu.open, memory.open]).to.deep.equal([undefined, undefined]);
  });
});
