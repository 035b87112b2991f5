import { TemplateError } from '../../../src/engine/jinja/errors.ts';
import { InvalidInput } from '../../../src/shared/errors.ts';
import { makeWorld, type PlayedHere, playHere } from '../../support/play-here.ts';
import { type Answer, answerOf, type TaskEnd } from './answers.ts';
import type { Row } from './rows.ts';

/** What our engine makes of a row, and why. */
export interface OurAnswer {
  readonly answer: Answer;
  readonly why: string;
}

/** Plays a row as the command line would. */
export async function ourAnswer({ files }: Row): Promise<OurAnswer> {
  const world = makeWorld(files);
  const ends: TaskEnd[] = [];
  try {
    const played = await playHere(world, {
      config: { directory: world.directory, home: world.directory, environment: {} },
      listen: (event) => {
        if (event.type !== 'result') return;
        const { status, ignored } = event.info;
        ends.push({ task: event.task.title, status, ignored });
      },
    });
    return { answer: answerOf(ends, hasFailed(played)), why: played.failures.join('; ') };
  } catch (error) {
    if (!(error instanceof InvalidInput) && !(error instanceof TemplateError)) throw error;
    return { answer: answerOf(ends, true), why: error.message };
  } finally {
    world.remove();
  }
}

function hasFailed({ summary: { failed, unreachable } }: PlayedHere): boolean {
  return failed.size > 0 || unreachable.size > 0;
}
