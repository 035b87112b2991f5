/** The answers of the sources that live. */
import { LENGTH } from './objects.ts';

const BODIES: Readonly<Record<string, unknown>> = {
  '/length': { length: LENGTH },
  '/other': { other: { length: LENGTH } },
  '/api/v1/query': {
    status: 'success',
    data: { resultType: 'vector', result: [{ metric: {}, value: [0, String(LENGTH)] }] },
  },
};

/** What a source answers at a path; undefined where there is nothing. */
export function answerAt(path: string): string | undefined {
  return path in BODIES ? JSON.stringify(BODIES[path]) : undefined;
}
