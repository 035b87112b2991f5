import { expect } from 'chai';
import { ControlPlane } from '../support/cluster/control-plane.ts';
import { playTasks } from '../support/cluster/k8s-play.ts';
import { needControlPlane } from '../support/cluster/requirements.ts';
import { until } from '../support/until.ts';

/** A workload whose pods are bound to the node; nobody runs them. */
const deployment = (name: string) => ({
  apiVersion: 'apps/v1',
  kind: 'Deployment',
  metadata: { name, namespace: 'default' },
  spec: {
    selector: { matchLabels: { app: name } },
    template: {
      metadata: { labels: { app: name } },
      spec: { nodeName: 'n1', containers: [{ name: 'c', image: 'x' }] },
    },
  },
});

describe('modules of nodes on a control plane', () => {
  let plane: ControlPlane;

  before(async function () {
    await needControlPlane(this);
    plane = await ControlPlane.start();
    await plane.apply({ apiVersion: 'v1', kind: 'Node', metadata: { name: 'n1' } });
  });
  after(() => plane?.stop());

  const drain = (more: object = {}) => ({
    name: 'drain',
    k8s_drain: { kubeconfig: plane.kubeconfigPath, name: 'n1', ...more },
  });
  const gently = { terminate_grace_period: 0, wait_timeout: 30, wait_sleep: 1 };
  /** Waits for the pod of a workload, and gives its name. */
  const podOf = async (app: string): Promise<string> => {
    let names: readonly string[] = [];
    await until(
      async () => {
        const path = 'jsonpath={.items[*].metadata.name}';
        names = (await plane.kubectl('get', 'pods', '-l', `app=${app}`, '-o', path)).split(' ');
        return names.length === 1 && names[0] !== '';
      },
      () => names,
    );
    return names[0] ?? '';
  };
  const isCordoned = async () =>
    (await plane.kubectl('get', 'node', 'n1', '-o', 'jsonpath={.spec.unschedulable}')) === 'true';

  it('cordons and uncordons, each once', async () => {
    const [cordon, uncordon] = [drain({ state: 'cordon' }), drain({ state: 'uncordon' })];
    expect((await playTasks([cordon])).changed).to.deep.equal(['drain']);
    expect(await isCordoned()).to.equal(true);
    expect((await playTasks([cordon])).changed).to.deep.equal([]);
    expect((await playTasks([uncordon])).changed).to.deep.equal(['drain']);
    expect(await isCordoned()).to.equal(false);
  });

  it('evicts pods and waits until they are gone; a check run touches nothing', async () => {
    await plane.apply(deployment('web'));
    const pod = await podOf('web');
    const task = drain({ delete_options: gently, pod_selectors: ['app=web'] });
    const foreseen = await playTasks([task], { words: ['--check'] });
    expect(foreseen.changed).to.deep.equal(['drain']);
    expect(await podOf('web')).to.equal(pod);
    expect(await isCordoned()).to.equal(false);
    const played = await playTasks([task]);
    expect(played.problem).to.equal('');
    expect(played.tasks[0]?.result['result']).to.equal(
      'node n1 marked unschedulable. 1 Pod(s) deleted from node.',
    );
    expect(await plane.kubectl('get', 'pods', '-o', 'name')).not.to.include(pod);
  });

  it('says which budget keeps a pod, and goes on without one by order', async () => {
    await plane.apply(deployment('db'), {
      apiVersion: 'policy/v1',
      kind: 'PodDisruptionBudget',
      metadata: { name: 'db', namespace: 'default' },
      spec: { minAvailable: 1, selector: { matchLabels: { app: 'db' } } },
    });
    const pod = await podOf('db');
    const status = { phase: 'Running', conditions: [{ type: 'Ready', status: 'True' }] };
    const patch = ['--subresource=status', '--type=merge', '-p', JSON.stringify({ status })];
    await plane.kubectl('patch', 'pod', pod, ...patch);
    const healthy = ['get', 'pdb', 'db', '-o', 'jsonpath={.status.currentHealthy}'];
    await until(
      async () => (await plane.kubectl(...healthy)) === '1',
      () => 'the budget does not count the pod',
    );
    const kept = drain({
      delete_options: { ...gently, wait_timeout: 1 },
      pod_selectors: ['app=db'],
    });
    expect((await playTasks([kept])).problem).to.match(
      new RegExp(
        `^Failed to delete pod default/${pod} due to: Cannot evict pod .* disruption budget`,
      ),
    );
    const forced = drain({
      delete_options: { ...gently, disable_eviction: true },
      pod_selectors: ['app=db'],
    });
    expect((await playTasks([forced])).changed).to.deep.equal(['drain']);
    expect(await plane.kubectl('get', 'pods', '-o', 'name')).not.to.include(pod);
  });

  it('says which node may be meant', async () => {
    expect((await playTasks([drain({ name: 'n2' })])).problem).to.match(/^Node n2 not found\./);
  });

  it('taint a node, change the value of a taint, and take it away', async () => {
    const task = (more: object) => ({
      name: 'taint',
      k8s_taint: { kubeconfig: plane.kubeconfigPath, name: 'n1', ...more },
    });
    const taints = async () =>
      plane.kubectl('get', 'node', 'n1', '-o', 'jsonpath={.spec.taints[?(@.key=="role")].value}');
    const present = (value: string) =>
      task({ taints: [{ key: 'role', value, effect: 'NoSchedule' }] });
    expect((await playTasks([present('web')])).changed).to.deep.equal(['taint']);
    expect((await playTasks([present('web')])).changed).to.deep.equal([]);
    expect((await playTasks([present('db')])).changed).to.deep.equal(['taint']);
    expect(await taints()).to.equal('db');
    const absent = task({ state: 'absent', taints: [{ key: 'role' }] });
    expect((await playTasks([absent])).changed).to.deep.equal(['taint']);
    expect(await taints()).to.equal('');
  });
});
