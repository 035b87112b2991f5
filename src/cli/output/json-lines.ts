/** One JSON object for each event of a run, as it happens. */
import { dumpJson } from '../../engine/jinja/json.ts';
import type { RunEvent } from '../../engine/run/events.ts';
import { fromPlain } from '../../engine/values.ts';
import type { Output } from './output-port.ts';

export function jsonLinesOutput(): Output {
  return {
    emit: (event) => process.stdout.write(`${eventText(event)}\n`),
    close: () => undefined,
  };
}

/** An event on one line; `_event` names it and `_timestamp` says when. */
export function eventText(event: RunEvent): string {
  const { type, ...members } = event;
  const head = { _event: type, _timestamp: new Date().toISOString() };
  const plain = { ...head, ...members, ...countersOf(event) };
  return dumpJson(fromPlain(plain), { asciiOnly: false });
}

/** The recap's counters by host as objects: they are no values of the language. */
function countersOf(event: RunEvent) {
  if (event.type !== 'recap') return {};
  return { stats: Object.fromEntries(event.stats), frames: Object.fromEntries(event.frames) };
}
