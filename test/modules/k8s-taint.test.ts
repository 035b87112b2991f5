import { expect } from 'chai';
import { parseArgs } from '../../src/shared/validate.ts';
import type { FakeObject } from '../support/fake-cluster.ts';
import { fakeController } from '../support/fake-conversation.ts';
import { FakeHost } from '../support/fake-host.ts';

const node = (...keys: readonly string[]): FakeObject => ({
  apiVersion: 'v1',
  kind: 'Node',
  metadata: { name: 'n1' },
  spec: { taints: keys.map((key) => ({ key, effect: 'NoSchedule' })) },
});

describe('k8s_taint', () => {
  it('keeps what others have added while it was at work', async () => {
    // As the client of the cluster is loaded: they share the classes of errors.
    const { k8sTaint } = await import('../../src/modules/k8s-taint.ts');
    const host = new FakeHost({ cluster: [node('slow')] });
    const taints = [{ key: 'ours', effect: 'NoSchedule' }];
    const given = { host: 'http://cluster', api_key: 't', name: 'n1', taints };
    const args = parseArgs(k8sTaint.args, k8sTaint, given);
    const input = { args, controller: fakeController() };
    const plan = k8sTaint.plan(await k8sTaint.probe(host, input), input);
    host.become({ cluster: [node('slow', 'theirs')] });
    await k8sTaint.apply?.(host, plan, input);
    const { taints: after } = await k8sTaint.probe(host, input);
    expect(after.map(({ key }) => key)).to.deep.equal(['slow', 'theirs', 'ours']);
  });
});
