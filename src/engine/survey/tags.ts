/** Tags of the command line that no task has. */
import { didYouMean, type Problem } from '../../shared/errors.ts';
import { type Selection, writtenTags } from '../playbook/certainty.ts';
import { hasTemplate } from '../values.ts';
import type { Tour } from './tour.ts';

/** Words that stand for sets of tasks. */
const SPECIAL = ['all', 'tagged', 'untagged', 'always', 'never'];

/** Tags that select or leave out nothing; none where some tags are known in the run alone. */
export function strangeTags({ visits, unread }: Tour, { tags, skipTags }: Selection): Problem[] {
  const known = new Set(visits.flatMap(({ task }) => writtenTags(task)));
  if (unread.length > 0 || [...known].some(hasTemplate)) return [];
  return [...tags, ...skipTags]
    .filter((tag) => !SPECIAL.includes(tag) && !known.has(tag))
    .map((tag) => ({ message: `no task has the tag "${tag}"`, hint: didYouMean(tag, known) }));
}
