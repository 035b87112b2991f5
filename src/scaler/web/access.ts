/** Who makes a request and whether they may: what the API server is asked. */
import type { Identity } from './requestheader.ts';

/** What a request is about, as SubjectAccessReview says it. */
export type Attributes =
  | {
      readonly kind: 'resource';
      readonly namespace: string;
      readonly verb: string;
      readonly group: string;
      readonly version: string;
      readonly resource: string;
    }
  | { readonly kind: 'path'; readonly path: string; readonly verb: string };

export interface Verdict {
  readonly isAllowed: boolean;
  /** What the authorizer said of it. */
  readonly reason: string;
}

/** The API server's answers. Each rejects where there is none. */
export interface AccessReviews {
  /** TokenReview: whose token it is, or undefined where it is nobody's. */
  reviewToken(token: string, signal: AbortSignal): Promise<Identity | undefined>;
  /** SubjectAccessReview. */
  reviewAccess(identity: Identity, attributes: Attributes, signal: AbortSignal): Promise<Verdict>;
}

const REVIEW_DEADLINE_MS = 5000;

/** The time that a review may take. Its answer is shared, so that it does not end with the request that asked first. */
export function reviewSignal(): AbortSignal {
  return AbortSignal.timeout(REVIEW_DEADLINE_MS);
}
