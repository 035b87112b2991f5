/** Says whether somebody may make a request. */
import type { Clock } from '../../kubernetes/clock.ts';
import { type AccessReviews, type Attributes, reviewSignal, type Verdict } from './access.ts';
import { AnswerCache } from './answer-cache.ts';
import { GROUP, VERSION } from './metric-query.ts';
import type { Identity } from './requestheader.ts';
import { forbidden, unavailable } from './status.ts';

export type Authorize = (identity: Identity, attributes: Attributes) => Promise<void>;

export interface AuthorizationTools {
  readonly reviews: Pick<AccessReviews, 'reviewAccess'>;
  readonly clock: Clock;
}

/** Rights may be taken away: an answer is believed this long (as API servers do). */
const VERDICT_LIFE_MS = 10_000;
/** Its members may do everything (as every API server has it). */
const PRIVILEGED_GROUP = 'system:masters';

/** Every metric in every namespace: what the HPA controller is usually given. */
const EVERY_METRIC: Attributes = {
  kind: 'resource',
  namespace: '',
  verb: 'list',
  group: GROUP,
  version: VERSION,
  resource: '*',
};

/** Asks the API server. Rejects with a StatusError 403 where the answer is no. */
export function makeAuthorize({ reviews, clock }: AuthorizationTools): Authorize {
  const verdicts = new AnswerCache<Verdict>(VERDICT_LIFE_MS, clock);

  return async function authorize(identity, attributes) {
    if (identity.groups.includes(PRIVILEGED_GROUP)) return;
    // The proxy has asked about this very request: one wide answer then spares a review for each metric.
    if (identity.isFromFrontProxy && attributes.kind === 'resource') {
      if ((await review(identity, EVERY_METRIC)).isAllowed) return;
    }
    const verdict = await review(identity, attributes);
    if (!verdict.isAllowed) throw forbidden(describeRefusal(identity, attributes, verdict));
  };

  async function review(identity: Identity, attributes: Attributes): Promise<Verdict> {
    const question = JSON.stringify([identity, attributes]);
    try {
      return await verdicts.get(question, () =>
        reviews.reviewAccess(identity, attributes, reviewSignal()),
      );
    } catch (error) {
      throw unavailable(`the API server did not say what ${identity.username} may do`, {
        cause: error,
      });
    }
  }
}

function describeRefusal(
  { username }: Identity,
  attributes: Attributes,
  { reason }: Verdict,
): string {
  const what =
    attributes.kind === 'path'
      ? `get path "${attributes.path}"`
      : `${attributes.verb} resource "${attributes.resource}" in API group "${attributes.group}" in the namespace "${attributes.namespace}"`;
  return `user "${username}" cannot ${what}${reason === '' ? '' : `: ${reason}`}`;
}
