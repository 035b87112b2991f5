import { expect } from 'chai';
import type { TlsCredentials } from '../../../src/scaler/certificates/material.ts';
import { Changing } from '../../../src/scaler/changing.ts';
import { answerWithLeader } from '../../../src/scaler/web/leader-link.ts';
import { startLink } from '../../../src/scaler/web/link.ts';
import type { AnswerMetric } from '../../../src/scaler/web/metrics-api.ts';
import { notFound } from '../../../src/scaler/web/status.ts';
import { issueTestCertificate, makeTestAuthority } from '../../support/certificates.ts';
import { freePort } from '../../support/free-port.ts';

const OPERATOR = 'scaler-operator.scaling.svc';
const LEADERS = { value: 1 };
const OWN = { value: 2 };

describe('the answers of a process that does not lead', () => {
  let credentials: Changing<TlsCredentials>;
  let nowMs = 0;
  const closings: (() => Promise<void>)[] = [];

  before(async () => {
    const authority = await makeTestAuthority('one');
    const pair = await issueTestCertificate(authority, { commonName: 'scaler', names: [OPERATOR] });
    credentials = new Changing({ ...pair, ca: authority.cert });
  });
  afterEach(async () => {
    for (const close of closings.splice(0).reverse()) await close();
  });

  /** A leader with these answers; gives its address. */
  async function lead(answer: AnswerMetric, unavailable: () => string | undefined, port = 0) {
    const options = { answer, credentials, clientNames: [OPERATOR], unavailable };
    const running = await startLink(options, { host: '127.0.0.1', port });
    closings.push(running.close);
    return `127.0.0.1:${running.port}`;
  }

  /** Asks a process that knows of a leader there. */
  function standBy(leaderAddress: () => string | undefined) {
    const link = answerWithLeader({
      own: async (_namespace, name) => [{ name, ...OWN }],
      leaderAddress,
      serverName: OPERATOR,
      credentials,
      steadyMs: () => nowMs,
    });
    closings.push(link.close);
    return async () => {
      const [found] = await link.answer('shop', 's0-cron', 'o', new AbortController().signal);
      return found?.value;
    };
  }

  const leading: AnswerMetric = async (_namespace, name) => [{ name, ...LEADERS }];

  it('are those of the leader', async () => {
    const address = await lead(leading, () => undefined);
    expect(await standBy(() => address)()).to.equal(LEADERS.value);
  });

  it('are its own where nobody is known to lead', async () => {
    expect(await standBy(() => undefined)()).to.equal(OWN.value);
  });

  it('are its own where the process that was named does not lead', async () => {
    const address = await lead(leading, () => 'another process leads');
    expect(await standBy(() => address)()).to.equal(OWN.value);
  });

  it('are its own for some seconds where the leader is away', async () => {
    const port = await freePort();
    const ask = standBy(() => `127.0.0.1:${port}`);
    expect(await ask()).to.equal(OWN.value);
    await lead(leading, () => undefined, port);
    expect(await ask()).to.equal(OWN.value);
    nowMs += 5000;
    expect(await ask()).to.equal(LEADERS.value);
  });

  it('are refusals where the leader refuses', async () => {
    const address = await lead(
      () => Promise.reject(notFound('no matching metrics found')),
      () => undefined,
    );
    const error = await standBy(() => address)().catch((e: Error) => e);
    expect(error).to.include({ code: 404, message: 'no matching metrics found' });
  });
});
