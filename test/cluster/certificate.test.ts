import { ControlPlane } from '../support/cluster/control-plane.ts';
import { SCALER_NAMESPACE } from '../support/cluster/manifests.ts';
import { Operator } from '../support/cluster/operator.ts';
import { needControlPlane } from '../support/cluster/requirements.ts';
import { SettableClock } from '../support/cluster/settable-clock.ts';
import { until } from '../support/until.ts';

describe('An operator whose certificate ends', () => {
  let plane: ControlPlane;
  let operator: Operator;
  let clock: SettableClock;

  before(async function () {
    await needControlPlane(this);
    plane = await ControlPlane.start();
    clock = await SettableClock.create();
    operator = await Operator.start(plane, { env: clock.env });
  });
  after(async () => {
    await operator?.stop();
    await clock?.remove();
    await plane?.stop();
  });

  const certificate = () => {
    const words = ['-n', SCALER_NAMESPACE, '-o', 'jsonpath={.data.tls\\.crt}'];
    return plane.kubectl('get', 'secret', 'scaler-certs', ...words);
  };

  it('has a new one before', async () => {
    const before = await certificate();
    await operator.process.stop();
    await clock.set(300 * 24 * 3600);
    await operator.process.start();
    await until(
      async () => (await certificate()) !== before,
      () => 'the certificate is the same',
    );
  });
});
