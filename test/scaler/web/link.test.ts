import { expect } from 'chai';
import type { TlsCredentials } from '../../../src/scaler/certificates/material.ts';
import { Changing } from '../../../src/scaler/changing.ts';
import { startLink } from '../../../src/scaler/web/link.ts';
import { connectLink } from '../../../src/scaler/web/link-client.ts';
import type { AnswerMetric } from '../../../src/scaler/web/metrics-api.ts';
import type { RunningServer } from '../../../src/scaler/web/server.ts';
import { notFound, type StatusError } from '../../../src/scaler/web/status.ts';
import {
  issueTestCertificate,
  makeTestAuthority,
  type TestAuthority,
} from '../../support/certificates.ts';
import { freePort } from '../../support/free-port.ts';

const OPERATOR = 'scaler-operator.scaling.svc';
/** To wait in vain: long enough to hear why, also where the computer is busy. */
const SHORT_MS = 3000;

describe('the link between the metrics role and the operator', () => {
  let authority: TestAuthority;
  let stranger: TestAuthority;
  let own: TlsCredentials;
  const closings: (() => Promise<void>)[] = [];

  before(async () => {
    [authority, stranger] = (await Promise.all(['one', 'other'].map(makeTestAuthority))) as [
      TestAuthority,
      TestAuthority,
    ];
    own = await issue(authority);
  });
  afterEach(async () => {
    for (const close of closings.splice(0).reverse()) await close();
  });

  async function issue(
    issuer: TestAuthority,
    names: readonly string[] = [OPERATOR],
  ): Promise<TlsCredentials> {
    const pair = await issueTestCertificate(issuer, { commonName: 'scaler', names });
    return { ...pair, ca: authority.cert };
  }

  async function serve(
    answer: AnswerMetric,
    whyUnavailable: () => string | undefined = () => undefined,
    port = 0,
  ): Promise<RunningServer & { credentials: Changing<TlsCredentials> }> {
    const credentials = new Changing(own);
    const options = { answer, credentials, clientNames: [OPERATOR], unavailable: whyUnavailable };
    const running = await startLink(options, { host: '127.0.0.1', port });
    closings.push(running.close);
    return { ...running, credentials };
  }

  function connect(port: number, credentials = own, deadlineMs = 60_000) {
    const url = new URL(`https://127.0.0.1:${port}`);
    const changing = new Changing(credentials);
    const link = connectLink({ url, serverName: OPERATOR, credentials: changing, deadlineMs });
    closings.push(link.close);
    const ask = () => link.answer('shop', 's0-cron', 'orders', new AbortController().signal);
    return { ask, credentials: changing };
  }

  const failureOf = (asked: Promise<unknown>): Promise<StatusError> =>
    asked.then(
      () => expect.fail('it was answered'),
      (error) => error,
    );

  it('hands on the question and the values', async () => {
    const asked: unknown[] = [];
    const { port } = await serve(async (namespace, metric, scaledObject) => {
      asked.push([namespace, metric, scaledObject]);
      return [{ name: metric, value: 2.5 }];
    });
    expect(await connect(port).ask()).to.deep.equal([{ name: 's0-cron', value: 2.5 }]);
    expect(asked).to.deep.equal([['shop', 's0-cron', 'orders']]);
  });

  it('hands on what the operator says against it', async () => {
    const { port } = await serve(() => Promise.reject(notFound('no matching metrics found')));
    const error = await failureOf(connect(port).ask());
    expect(error).to.include({
      code: 404,
      reason: 'NotFound',
      message: 'no matching metrics found',
    });
  });

  it('never makes a number of what is none', async () => {
    const { port } = await serve(async (_namespace, name) => [{ name, value: Number.NaN }]);
    const error = await failureOf(connect(port).ask());
    expect(error).to.include({ code: 500, message: 'metric s0-cron has no value: it is NaN' });
  });

  it('is closed to clients of another authority', async () => {
    const { port } = await serve(async () => expect.fail('it was asked'));
    const error = await failureOf(connect(port, await issue(stranger), SHORT_MS).ask());
    expect(error.code).to.equal(504);
    expect(error.message).to.match(/did not answer within 3000 ms: /);
  });

  it('is closed to clients without a certificate', async () => {
    const { port } = await serve(async () => expect.fail('it was asked'));
    const bare = { ca: own.ca, cert: '', key: '' };
    expect((await failureOf(connect(port, bare, SHORT_MS).ask())).code).to.equal(504);
  });

  it('is closed to certificates of the authority that are for others', async () => {
    const { port } = await serve(async () => expect.fail('it was asked'));
    const error = await failureOf(connect(port, await issue(authority, ['shop.svc'])).ask());
    expect(error).to.include({ code: 403, reason: 'Forbidden' });
  });

  it('asks no server that is not the operator', async () => {
    const { port, credentials } = await serve(async () => expect.fail('it was asked'));
    credentials.set(await issue(authority, ['shop.svc']));
    const error = await failureOf(connect(port, own, SHORT_MS).ask());
    expect(error.message).to.include('does not match certificate');
  });

  it('waits for an operator that starts', async () => {
    const port = await freePort();
    const asked = connect(port).ask();
    await serve(async (_namespace, name) => [{ name, value: 1 }], undefined, port);
    expect(await asked).to.deep.equal([{ name: 's0-cron', value: 1 }]);
  });

  it('waits for the process that leads', async () => {
    const problems: (string | undefined)[] = ['another process leads'];
    const { port } = await serve(
      async (_namespace, name) => [{ name, value: 1 }],
      () => problems.shift(),
    );
    expect(await connect(port).ask()).to.have.length(1);
  });

  it('says why it has waited for nothing', async () => {
    const { port } = await serve(
      async () => [],
      () => 'another process leads',
    );
    const error = await failureOf(connect(port, own, SHORT_MS).ask());
    expect(error).to.include({ code: 504, reason: 'Timeout' });
    expect(error.message).to.equal(
      `the operator at 127.0.0.1:${port} did not answer within 3000 ms: another process leads`,
    );
  });

  it('goes on when both sides exchange their certificates', async () => {
    const served = await serve(async (_namespace, name) => [{ name, value: 1 }]);
    const { ask, credentials } = connect(served.port);
    await ask();
    const next = { ...(await issue(stranger)), ca: `${own.ca}\n${stranger.cert}` };
    served.credentials.set(next);
    credentials.set(next);
    expect(await ask()).to.have.length(1);
  });
});
