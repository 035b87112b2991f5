/** TokenReview and SubjectAccessReview of the API server. */
import type { ApiClient } from '../../kubernetes/api-client.ts';
import type { AccessReviews, Attributes } from './access.ts';
import type { Identity } from './requestheader.ts';

const TOKEN_REVIEWS = { group: 'authentication.k8s.io', version: 'v1', resource: 'tokenreviews' };
const ACCESS_REVIEWS = {
  group: 'authorization.k8s.io',
  version: 'v1',
  resource: 'subjectaccessreviews',
};

interface TokenReview {
  readonly status?: {
    readonly authenticated?: boolean;
    readonly user?: {
      readonly username?: string;
      readonly uid?: string;
      readonly groups?: readonly string[];
      readonly extra?: Readonly<Record<string, readonly string[]>>;
    };
  };
}

interface SubjectAccessReview {
  readonly status?: {
    readonly allowed?: boolean;
    readonly denied?: boolean;
    readonly reason?: string;
  };
}

export function makeClusterReviews(client: Pick<ApiClient, 'create'>): AccessReviews {
  return {
    async reviewToken(token, signal) {
      const body = {
        apiVersion: 'authentication.k8s.io/v1',
        kind: 'TokenReview',
        spec: { token },
      };
      const { status } = await client.create<TokenReview>(TOKEN_REVIEWS, body, { signal });
      return status?.authenticated === true ? readUser(status.user) : undefined;
    },

    async reviewAccess(identity, attributes, signal) {
      const { username, uid, groups, extra } = identity;
      const body = {
        apiVersion: 'authorization.k8s.io/v1',
        kind: 'SubjectAccessReview',
        spec: { user: username, uid, groups, extra, ...renderAttributes(attributes) },
      };
      const review = await client.create<SubjectAccessReview>(ACCESS_REVIEWS, body, { signal });
      const { allowed = false, denied = false, reason = '' } = review.status ?? {};
      return { isAllowed: allowed && !denied, reason };
    },
  };
}

function readUser(user: NonNullable<TokenReview['status']>['user']): Identity | undefined {
  if (!user?.username) return undefined;
  const { username, uid, groups = [], extra = {} } = user;
  return { username, uid, groups, extra, isFromFrontProxy: false };
}

function renderAttributes(attributes: Attributes): object {
  if (attributes.kind === 'path') {
    return { nonResourceAttributes: { path: attributes.path, verb: attributes.verb } };
  }
  const { namespace, verb, group, version, resource } = attributes;
  return { resourceAttributes: { namespace, verb, group, version, resource } };
}
