import { expect } from 'chai';
import { ScaledObjectController } from '../../../src/scaler/controller/scaled-object.ts';
import type { AuthenticationSpec } from '../../../src/scaler/resources/trigger-authentication.ts';
import { driving } from './drive.ts';
import { type Fixture, fixture, scaledObjectOf } from './fixture.ts';

const KEY = 'shop/worker';

describe('A ScaledObject that cannot be prepared yet', () => {
  let given: Fixture;
  let controller: ScaledObjectController;

  beforeEach(() => {
    given = fixture();
    controller = new ScaledObjectController(given.dependencies, () => {});
    given.answers.set('queue', 0);
  });

  const { settle, pollAfter } = driving(
    KEY,
    () => ({ given, controller }),
    () => {},
  );

  const status = () => given.state.objects.get(KEY)?.status;
  const ready = () => status()?.conditions?.find(({ type }) => type === 'Ready');
  const metricNames = () =>
    given.state.hpas
      .get('shop/scaler-hpa-worker')
      ?.spec.metrics.map((metric) =>
        'external' in metric ? metric.external.metric.name : metric.type,
      );

  it('makes no HPA, which would cut the workload, before its source was reached once', async () => {
    given.unopenable.add('queue');
    given.state.replicas.set(KEY, 3);
    await settle(scaledObjectOf({ maxReplicaCount: 1 }));
    expect(metricNames()).to.equal(undefined);
    expect(ready()).to.include({ status: 'False', reason: 'ScaledObjectCheckFailed' });
    expect(status()).to.include({
      scaleTargetKind: 'apps/v1.Deployment',
      originalReplicaCount: 3,
      triggersTypes: 'source',
    });
    expect(status()?.scaleTargetGVKR).to.include({ resource: 'deployments' });
    given.unopenable.delete('queue');
    await pollAfter(1);
    expect(metricNames()).to.deep.equal(['s0-queue']);
    given.unopenable.add('queue');
    await controller.refresh(KEY);
    await pollAfter(1);
    expect(metricNames()).to.deep.equal(['s0-queue']);
  });

  it('tells of a target that is not there in the words of KEDA', async () => {
    await settle(scaledObjectOf());
    const detail = "Target resource doesn't exist: Deployment shop/worker";
    const message = `ScaledObject doesn't have correct scaleTargetRef specification: ${detail}`;
    expect(ready()?.message).to.equal(message);
    const told = given.state.events.filter(({ reason }) => reason === 'ScaledObjectCheckFailed');
    expect(told.slice(0, 2).map((event) => event.message)).to.deep.equal([detail, message]);
  });

  const secrets = [{ parameter: 'password', name: 'n' }];
  for (const [what, spec] of Object.entries({
    'podIdentity gcp': { podIdentity: { provider: 'gcp' } },
    azureKeyVault: { azureKeyVault: { vaultUri: 'https://v', secrets } },
    awsSecretManager: { awsSecretManager: { region: 'r', secrets } },
    gcpSecretManager: { gcpSecretManager: { secrets: [{ parameter: 'password', id: 'i' }] } },
  } satisfies Readonly<Record<string, AuthenticationSpec>>)) {
    it(`is not ready where its authentication needs what is not built: ${what}`, async () => {
      given.state.replicas.set(KEY, 1);
      given.state.authentications.set('TriggerAuthentication/shop/login', {
        apiVersion: 'scaler.tsprov.dev/v1alpha1',
        kind: 'TriggerAuthentication',
        metadata: { name: 'login', namespace: 'shop' },
        spec,
      });
      const authenticationRef = { name: 'login' };
      const triggers = [{ type: 'source', metadata: { source: 'queue' }, authenticationRef }];
      await settle(scaledObjectOf({ triggers }));
      expect(ready()?.status).to.equal('False');
      expect(ready()?.message).to.include(
        `TriggerAuthentication login: ${what} is not supported yet`,
      );
    });
  }
});
