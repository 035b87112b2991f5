/** HTTP that tells of every request, for the metrics of the operator. */
import type { Http } from '../trigger.ts';

export interface MeasuredAnswer {
  /** `error` where no answer came. */
  readonly status: number | 'error';
  readonly seconds: number;
}

export function measuredHttp(http: Http, onAnswer: (answer: MeasuredAnswer) => void): Http {
  return {
    ...http,
    async request(url, request) {
      const startMs = performance.now();
      let status: MeasuredAnswer['status'] = 'error';
      try {
        const answer = await http.request(url, request);
        status = answer.status;
        return answer;
      } finally {
        onAnswer({ status, seconds: (performance.now() - startMs) / 1000 });
      }
    },
  };
}
