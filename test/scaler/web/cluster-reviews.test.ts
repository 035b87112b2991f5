import { expect } from 'chai';
import type { ApiClient } from '../../../src/kubernetes/api-client.ts';
import { makeClusterReviews } from '../../../src/scaler/web/cluster-reviews.ts';

const { signal } = new AbortController();
const ANN = {
  username: 'ann',
  uid: 'u-1',
  groups: ['ops'],
  extra: { scope: ['read'] },
  isFromFrontProxy: true,
};

/** An API server that gives a review this status. */
function answering(status: object) {
  const asked: unknown[] = [];
  const create = async (...[, body]: unknown[]) => {
    asked.push(body);
    return { status };
  };
  // Only what is used.
  return { asked, reviews: makeClusterReviews({ create } as Pick<ApiClient, 'create'>) };
}

describe('reviews by the API server', () => {
  it('say whose token it is', async () => {
    const user = { username: 'bob', groups: ['people'], extra: { a: ['b'] } };
    const { asked, reviews } = answering({ authenticated: true, user });
    const identity = await reviews.reviewToken('secret', signal);
    expect(identity).to.deep.equal({ ...user, uid: undefined, isFromFrontProxy: false });
    expect(asked).to.deep.equal([
      {
        apiVersion: 'authentication.k8s.io/v1',
        kind: 'TokenReview',
        spec: { token: 'secret' },
      },
    ]);
  });

  for (const status of [
    {},
    { authenticated: false, user: { username: 'bob' } },
    { authenticated: true },
  ]) {
    it(`know nobody by the status ${JSON.stringify(status)}`, async () => {
      expect(await answering(status).reviews.reviewToken('secret', signal)).to.equal(undefined);
    });
  }

  it('are asked about everything that is known of somebody', async () => {
    const { asked, reviews } = answering({ allowed: true });
    const resource = {
      namespace: 'shop',
      verb: 'list',
      group: 'external.metrics.k8s.io',
      version: 'v1beta1',
      resource: 's0-cron',
    };
    await reviews.reviewAccess(ANN, { kind: 'resource', ...resource }, signal);
    await reviews.reviewAccess(ANN, { kind: 'path', path: '/apis', verb: 'get' }, signal);
    const user = { user: 'ann', uid: 'u-1', groups: ['ops'], extra: { scope: ['read'] } };
    expect(asked.map((review) => (review as { spec: object }).spec)).to.deep.equal([
      { ...user, resourceAttributes: resource },
      { ...user, nonResourceAttributes: { path: '/apis', verb: 'get' } },
    ]);
  });

  const verdicts: readonly [object, boolean][] = [
    [{ allowed: true }, true],
    [{ allowed: false }, false],
    [{ allowed: true, denied: true }, false],
    [{}, false],
  ];
  for (const [status, isAllowed] of verdicts) {
    it(`${isAllowed ? 'allow' : 'refuse'} by the status ${JSON.stringify(status)}`, async () => {
      const { reviews } = answering(status);
      const verdict = await reviews.reviewAccess(
        ANN,
        { kind: 'path', path: '/', verb: 'get' },
        signal,
      );
      expect(verdict).to.deep.equal({ isAllowed, reason: '' });
    });
  }
});
