/** What must be known of a play's keywords before it starts: a template that fails later would end a half-done run. */
import { InvalidInput, type Problem } from '../../shared/errors.ts';
import { TemplateError } from '../jinja/errors.ts';
import { TrustedTemplate, type Value } from '../values.ts';
import type { PlayContext } from './play-context.ts';

const RENDERED = [
  'name',
  'hosts',
  'gather_facts',
  'gather_subset',
  'gather_timeout',
  'serial',
  'max_fail_percentage',
  'strategy',
  'order',
  'force_handlers',
];

/** Throws InvalidInput with every keyword of the play that cannot be rendered. */
export function checkPlayKeywords(context: PlayContext): void {
  const problems = RENDERED.flatMap((name) => problemOf(context, name) ?? []);
  if (problems.length > 0) throw new InvalidInput(problems);
}

function problemOf(context: PlayContext, name: string): Problem | undefined {
  const written = context.play.keywords.get(name);
  if (written === undefined) return undefined;
  try {
    context.renderForPlay(written);
    return undefined;
  } catch (error) {
    // What nobody foresaw fails the hosts that need the keyword, not the run.
    if (!(error instanceof TemplateError)) return undefined;
    const hint = 'a keyword of a play sees no variables of hosts';
    const place = error.position ?? placeOf(written) ?? context.play.position;
    return { place, message: `${name}: ${error.message}`, hint };
  }
}

function placeOf(written: Value) {
  return written instanceof TrustedTemplate ? written.position : undefined;
}
