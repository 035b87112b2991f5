import { expect } from 'chai';
import { KEDA_NAMES, TSPROV_NAMES } from '../../src/scaler/names.ts';
import { resources } from '../../src/scaler/resources/all.ts';
import { type Condition, withFinding } from '../../src/scaler/resources/conditions.ts';
import { renderCrd } from '../../src/scaler/resources/resource.ts';

/** Short names and print columns, as `kubectl get` shows them (the last is the age). */
const SHAPES = [
  [
    'ScaledObject',
    ['so'],
    'ScaleTargetKind ScaleTargetName Min Max Ready Active Fallback Paused Triggers Authentications Age',
  ],
  ['ScaledJob', ['sj'], 'Min Max Ready Active Paused Triggers Authentications Age'],
  [
    'TriggerAuthentication',
    ['ta', 'triggerauth'],
    'PodIdentity Secret Env VaultAddress ScaledObjects ScaledJobs Age',
  ],
  [
    'ClusterTriggerAuthentication',
    ['cta', 'clustertriggerauth'],
    'PodIdentity Secret Env FilePath VaultAddress ScaledObjects ScaledJobs Age',
  ],
] as const;

describe('custom resources', () => {
  for (const [kind, shortNames, columns] of SHAPES) {
    it(`${kind} has its short names and columns`, () => {
      const resource = resources.find((candidate) => candidate.kind === kind);
      if (resource === undefined) throw new Error(`no ${kind}`);
      const { spec } = renderCrd(resource, TSPROV_NAMES);
      const [version] = spec.versions;
      expect(spec.names.shortNames).to.deep.equal(shortNames);
      expect(version?.additionalPrinterColumns.map(({ name }) => name).join(' ')).to.equal(columns);
    });
  }

  it('move to the group of KEDA as a whole', () => {
    const names = resources.map((resource) => renderCrd(resource, KEDA_NAMES).metadata.name);
    expect(names).to.include.members(['scaledobjects.keda.sh', 'triggerauthentications.keda.sh']);
  });
});

describe('withFinding', () => {
  const ready = { type: 'Ready', status: 'True', reason: 'Fine', message: 'It is.' } as const;
  const first = withFinding([], ready, { now: '2026-01-01T00:00:00Z', generation: 1 });

  it('keeps the time of the transition while the status stays', () => {
    const second = withFinding(
      first,
      { ...ready, message: 'It still is.' },
      { now: '2026-01-02T00:00:00Z', generation: 2 },
    );
    expect(second).to.deep.equal([
      {
        ...ready,
        message: 'It still is.',
        lastTransitionTime: '2026-01-01T00:00:00Z',
        observedGeneration: 2,
      },
    ] satisfies readonly Condition[]);
  });

  it('moves the time with the status', () => {
    const [after] = withFinding(
      first,
      { ...ready, status: 'False' },
      { now: '2026-01-02T00:00:00Z', generation: 1 },
    );
    expect(after?.lastTransitionTime).to.equal('2026-01-02T00:00:00Z');
  });
});
