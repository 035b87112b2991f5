import { expect } from 'chai';
import { explain, renderExplanation } from '../../../src/scaler/cli/explain.ts';
import type { StoredHpa } from '../../../src/scaler/controller/ports.ts';
import { TSPROV_NAMES } from '../../../src/scaler/names.ts';
import type { ScaledObjectStatus } from '../../../src/scaler/resources/scaled-object.ts';
import { scaledObjectOf } from '../controller/fixture.ts';

const NOW = Date.parse('2026-01-01T00:10:00Z');
const trigger = { index: 0, type: 'source', metricName: 's0-queue', target: 5 };

function explained(status: ScaledObjectStatus, replicas: number, hpa?: StoredHpa) {
  const object = { ...scaledObjectOf({ maxReplicaCount: 6 }), status };
  return explain({ object, hpa, replicas, names: TSPROV_NAMES, nowMs: NOW });
}

describe('explain', () => {
  it('tells what a trigger reads, what it asks for and who rules', () => {
    const { title, triggers, operator } = explained(
      { triggers: [{ ...trigger, value: 12, isActive: true }] },
      3,
    );
    expect(title).to.equal(
      'ScaledObject shop/worker: Deployment worker is set to 3 replicas (0 to 6)',
    );
    expect(triggers).to.deep.equal(['0 source: 12, active; at 5 each it asks for 3 replicas']);
    expect(operator).to.equal('It stays because a trigger is active; the HPA rules.');
  });

  it('tells how long a cooldown still lasts', () => {
    const { operator } = explained(
      {
        lastActiveTime: '2026-01-01T00:09:00Z',
        triggers: [{ ...trigger, value: 0, isActive: false }],
      },
      1,
    );
    expect(operator).to.equal(
      'It stays for now. Triggers are not active; the cooldown ends in 240 s.',
    );
  });

  it('tells since when a source cannot be read, and that this is no idleness', () => {
    const { triggers, operator } = explained(
      {
        triggers: [{ ...trigger, error: 'refused', lastSuccessTime: '2026-01-01T00:09:30Z' }],
      },
      2,
    );
    expect(triggers[0]).to.equal('0 source: cannot be read (last read 30 s ago): refused');
    expect(operator).to.include('that is no sign of idleness');
  });

  it('shows what the HPA makes of it', () => {
    const hpa = {
      metadata: { name: 'scaler-hpa-worker', namespace: 'shop' },
      spec: {
        minReplicas: 1,
        maxReplicas: 6,
        metrics: [
          {
            type: 'External',
            external: {
              metric: { name: 's0-queue', selector: { matchLabels: {} } },
              target: { type: 'AverageValue', averageValue: '5' },
            },
          },
        ],
      },
      status: {
        currentReplicas: 3,
        desiredReplicas: 3,
        currentMetrics: [
          { external: { metric: { name: 's0-queue' }, current: { averageValue: '4' } } },
        ],
        conditions: [
          {
            type: 'ScalingLimited',
            status: 'False',
            reason: 'DesiredWithinRange',
            message: 'fine',
          },
          { type: 'ScalingActive', status: 'False', reason: 'FailedGet', message: 'no answer' },
        ],
      },
    } as unknown as StoredHpa;
    const text = renderExplanation(
      explained({ triggers: [{ ...trigger, value: 12, isActive: true }] }, 3, hpa),
    );
    expect(text).to.include('scaler-hpa-worker: has 3, wants 3 (1 to 6)');
    expect(text).to.include('s0-queue: 4 of 5 each');
    expect(text).to.include('ScalingActive: FailedGet, no answer');
    expect(text).not.to.include('DesiredWithinRange');
  });
});
