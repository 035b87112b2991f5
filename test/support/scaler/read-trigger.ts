import { createHttp, httpSettings } from '../../../src/scaler/http.ts';
import type { AnyTrigger, Reading, TriggerTools } from '../../../src/scaler/trigger.ts';
import { type Given, openTrigger } from './configure-trigger.ts';

/** Real HTTP for triggers of tests, patient where the computer is busy. */
export const realHttp = createHttp({ ...httpSettings({}), timeoutMs: 60_000 });

/** Opens a trigger with real HTTP, reads once and closes it; a failure gives its message. */
export async function readTrigger(
  trigger: AnyTrigger,
  given: Given,
  tools: Partial<TriggerTools> = {},
): Promise<Reading | string> {
  const gauge = await openTrigger(trigger, given, { http: realHttp, ...given.context, ...tools });
  try {
    return await gauge.read(new AbortController().signal, '');
  } catch (error) {
    return (error as Error).message;
  } finally {
    await gauge.close();
  }
}
