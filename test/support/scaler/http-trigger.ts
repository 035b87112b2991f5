import { boolean, defineTrigger, text } from '../../../src/scaler/trigger.ts';
import {
  authenticatedHttp,
  checkAuthentication,
  checkTokenUrl,
  httpAuthentication,
  secretsOf,
} from '../../../src/scaler/triggers/support/http-authentication.ts';
import {
  parseJsonAnswer,
  requireSuccess,
} from '../../../src/scaler/triggers/support/http-source.ts';

/** Reads the member `v` of a JSON object, with every way to log in over HTTP. */
export const httpTrigger = defineTrigger({
  type: 'http',
  summary: 'Reads a number over HTTP.',
  parameters: {
    url: text('What to ask.'),
    unsafeSsl: boolean('Accept any certificate.', { default: false }),
    ...httpAuthentication,
  },
  check: checkAuthentication,
  checkSource: checkTokenUrl,
  metric: () => ({ kind: 'external', name: 'http', target: 5 }),
  open: (values, tools) => {
    const http = authenticatedHttp(values, tools, values.unsafeSsl);
    return {
      async read(signal) {
        const url = new URL(values.url);
        const answer = await http.request(url, { signal });
        requireSuccess(url, answer, secretsOf(values));
        const { v: value } = parseJsonAnswer(url, answer) as { readonly v: number };
        return { value, isActive: value > 0 };
      },
      close: async () => {},
    };
  },
});
