/** Outputs that fail do not end the run: what they could not show is told of as a warning. */
import type { Emit, RunEvent } from '../../engine/run/events.ts';
import type { Output } from './output-port.ts';
import { warningsToStderr } from './warnings.ts';

type Tell = (text: string) => void;

/** The output, with a warning for each way in which it fails. */
export function sturdyOutput(
  name: string,
  { emit, close }: Output,
  tell: Tell = warningsToStderr,
): Output {
  return {
    emit: sturdyEmit(`the output "${name}"`, emit, tell),
    close: async () => {
      try {
        await close();
      } catch (error) {
        tell(`the output "${name}" failed at the end of the run: ${String(error)}`);
      }
    },
  };
}

/** Passes events on to a listener, with one warning for each way in which it fails. */
export function sturdyEmit(what: string, emit: Emit, tell: Tell): Emit {
  const told = new Set<string>();
  return (event: RunEvent) => {
    try {
      emit(event);
    } catch (error) {
      const text = `${what} failed at "${event.type}": ${String(error)}`;
      if (!told.has(text)) tell(text);
      told.add(text);
    }
  };
}
