import type { UntypedServiceImplementation } from '@grpc/grpc-js';
import { expect } from 'chai';
import type { AnyTrigger, TriggerTools } from '../../../src/scaler/trigger.ts';
import { external } from '../../../src/scaler/triggers/external.ts';
import { externalPush } from '../../../src/scaler/triggers/external-push.ts';
import { freePort } from '../../support/free-port.ts';
import { makeTestAuthority } from '../../support/scaler/certificates.ts';
import { openTrigger } from '../../support/scaler/configure-trigger.ts';
import {
  type ExternalScalerServer,
  startExternalScaler,
} from '../../support/scaler/external-scaler.ts';
import { describeTrigger, messageOf } from '../../support/scaler/trigger-cases.ts';

type Texts = Readonly<Record<string, string>>;
type Call = { request: object; write(message: object): void; end(): void };
type Done = (error: Error | null, answer?: object) => void;

for (const trigger of [external, externalPush]) {
  describeTrigger(trigger, [
    [
      'needs an address',
      { metadata: {} },
      ["scalerAddress is missing: give scalerAddress in the trigger's metadata"],
    ],
    ['takes what only the scaler knows', { metadata: { scalerAddress: 'a:1', queue: 'jobs' } }, []],
    [
      'takes a certificate without its key',
      { metadata: { scalerAddress: 'a:1' }, authentication: { tlsClientCert: 'c' } },
      [],
    ],
  ]);
}

describe('external scalers', () => {
  const ends: (() => unknown)[] = [];
  afterEach(async () => {
    for (const end of ends.splice(0).reverse()) await end();
  });

  /** A scaler that answers each method with a message, or fails with an Error. */
  async function serve(answers: Readonly<Record<string, object>>, ...rest: unknown[]) {
    const asked: object[] = [];
    const methods: UntypedServiceImplementation = {};
    for (const [method, answer] of Object.entries(answers)) {
      const tell = (call: Call, done: Done) => {
        asked.push(call.request);
        if (answer instanceof Error) done(answer);
        else done(null, answer);
      };
      methods[method] = (typeof answer === 'function' ? answer : tell) as never;
    }
    const [authority, port] = rest as [never, number];
    const server = await startExternalScaler(methods, authority, port);
    ends.push(() => server.stop());
    return { server, asked };
  }
  async function open(
    trigger: AnyTrigger,
    { address }: Pick<ExternalScalerServer, 'address'>,
    given: { metadata?: Texts; authentication?: Texts } = {},
    tools: Partial<TriggerTools> = {},
  ) {
    const metadata = { scalerAddress: address, ...given.metadata };
    const gauge = await openTrigger(
      trigger,
      { metadata, authentication: given.authentication ?? {} },
      tools,
    );
    ends.push(() => gauge.close());
    return gauge;
  }
  const soon = () => AbortSignal.timeout(60_000);
  const spec = (...metricSpecs: object[]) => ({ GetMetricSpec: { metricSpecs } });
  const values = (result: boolean, ...metricValues: object[]) => ({
    IsActive: { result },
    GetMetrics: { metricValues },
  });

  it('name their metrics, with whole and broken targets', async () => {
    const { server } = await serve(
      spec(
        { metricName: 'Jobs!', targetSize: 7 },
        { metricName: 'b', targetSize: 1, targetSizeFloat: 0.5 },
      ),
    );
    const gauge = await open(external, server);
    expect(await gauge.metrics?.(soon())).to.deep.equal([
      { kind: 'external', name: 'Jobs!', target: 7 },
      { kind: 'external', name: 'b', target: 0.5 },
    ]);
  });

  const VALUES: readonly (readonly [string, object[], number])[] = [
    ['a whole value', [{ metricName: 'jobs', metricValue: 9_007_199_254_740 }], 9_007_199_254_740],
    ['a broken value', [{ metricName: 'jobs', metricValue: 1, metricValueFloat: 2.5 }], 2.5],
    [
      'several values of the name',
      [
        { metricName: 'jobs', metricValue: 1 },
        { metricName: 'jobs', metricValue: 2 },
        { metricName: 'x', metricValue: 9 },
      ],
      3,
    ],
    ['a value of another name', [{ metricName: 'Jobs', metricValue: 4 }], 4],
    ['nothing to do', [{ metricName: 'jobs' }], 0],
  ];
  for (const [title, given, value] of VALUES) {
    it(`give ${title}`, async () => {
      const { server } = await serve(values(true, ...given));
      const gauge = await open(external, server);
      expect(await gauge.read(soon(), 'jobs')).to.deep.equal({ value, isActive: true });
    });
  }

  it('are told the object and the whole metadata', async () => {
    const { server, asked } = await serve(values(false, { metricName: 'jobs', metricValue: 5 }));
    const metadata = { queue: 'jobs', tokenFromEnv: 't0ken' };
    const gauge = await open(external, server, { metadata });
    expect(await gauge.read(soon(), 'jobs')).to.deep.equal({ value: 5, isActive: false });
    const who = {
      name: 'cart',
      namespace: 'shop',
      scalerMetadata: { scalerAddress: server.address, ...metadata },
    };
    expect(asked).to.have.deep.members([who, { scaledObjectRef: who, metricName: 'jobs' }]);
  });

  const FAILURES: readonly (readonly [string, Readonly<Record<string, object>>, RegExp])[] = [
    [
      'a failure',
      { ...values(true), GetMetrics: new Error('queue with t0ken is gone') },
      /external scaler at localhost:\d+: .*queue with \*\*\* is gone/,
    ],
    [
      'a failure of IsActive',
      { ...values(true, { metricValue: 1 }), IsActive: new Error('broken') },
      /broken/,
    ],
    ['no value', values(true), /gives no value for jobs/],
    [
      'a value that is none',
      values(true, { metricName: 'jobs', metricValueFloat: Number.POSITIVE_INFINITY }),
      /is Infinity, no number/,
    ],
    ['a missing method', { IsActive: { result: true } }, /unimplemented|does not implement/i],
  ];
  for (const [title, answers, message] of FAILURES) {
    it(`show ${title} as an error and not as 0, and no secret`, async () => {
      const { server } = await serve(answers);
      const gauge = await open(external, server, { metadata: { tokenFromEnv: 't0ken' } });
      expect(await messageOf(gauge.read(soon(), 'jobs')))
        .to.match(message)
        .and.not.contain('t0ken');
    });
  }

  it('must name a metric with a target', async () => {
    const none = await serve(spec());
    expect(
      await messageOf((await open(external, none.server)).metrics?.(soon()) ?? Promise.resolve()),
    ).to.match(/names no metric/);
    const zero = await serve(spec({ metricName: 'jobs' }));
    const gauge = await open(external, zero.server);
    expect(await messageOf(gauge.metrics?.(soon()) ?? Promise.resolve())).to.match(
      /target of jobs must be more than 0/,
    );
    const member = await open(external, zero.server, {}, { isMember: true });
    expect(await member.metrics?.(soon())).to.deep.equal([
      { kind: 'external', name: 'jobs', target: 0 },
    ]);
  });

  it('that are away are told with the cure, and found once they are back', async () => {
    const port = await freePort();
    const gauge = await open(external, { address: `127.0.0.1:${port}` });
    expect(await messageOf(gauge.read(soon(), 'jobs'))).to.match(
      /ECONNREFUSED.*nothing listens there/,
    );
    await serve(values(true, { metricName: 'jobs', metricValue: 1 }), undefined, port);
    const again = await open(external, { address: `localhost:${port}` });
    expect(await again.read(soon(), 'jobs')).to.include({ value: 1 });
  });

  it('are asked by TLS with a certificate, and only if they can be trusted', async () => {
    const authority = await makeTestAuthority();
    const { ca: caCert, client } = authority;
    const { server } = await serve(values(true, { metricName: 'jobs', metricValue: 1 }), authority);
    const pair = { tlsClientCert: client.cert, tlsClientKey: client.key };
    const trusted = await open(external, server, { authentication: { caCert, ...pair } });
    expect(await trusted.read(soon(), 'jobs')).to.include({ value: 1 });
    const unsafe = await open(external, server, {
      authentication: pair,
      metadata: { unsafeSsl: 'true' },
    });
    expect(await unsafe.read(soon(), 'jobs')).to.include({ value: 1 });
    const strange = await open(external, server, { authentication: pair });
    expect(await messageOf(strange.read(soon(), 'jobs'))).to.match(/certificate/);
  });

  it('share a connection, which the last to close ends', async () => {
    const { server } = await serve(values(true, { metricName: 'jobs', metricValue: 1 }));
    const [one, other] = [await open(external, server), await open(external, server)];
    await one.close();
    await one.close();
    expect(await other.read(soon(), 'jobs')).to.include({ value: 1 });
    await other.close();
    expect(await messageOf(other.read(soon(), 'jobs'))).to.match(/closed|shut/i);
  });

  it('push activity: true is told, false is not', async () => {
    const { server } = await serve({
      StreamIsActive: (call: Call) => {
        for (const result of [false, true, false, true]) call.write({ result });
      },
    });
    const gauge = await open(externalPush, server);
    const watching = new AbortController();
    let told = 0;
    const ended = gauge.watch?.(() => {
      told += 1;
      if (told === 2) watching.abort();
    }, watching.signal);
    await ended;
    expect(told).to.equal(2);
  });

  it('push metrics, which hold while the stream does', async () => {
    let finish = () => {};
    const { server } = await serve({
      ...spec({ metricName: 'jobs', targetSize: 1 }),
      StreamMetricSpec: (call: Call) => {
        call.write({ metricSpecs: [{ metricName: 'jobs', targetSize: 9 }] });
        finish = () => call.end();
      },
    });
    const gauge = await open(externalPush, server);
    const watching = new AbortController();
    const targets = async () => (await gauge.metrics?.(soon()))?.map(({ target }) => target);
    expect(await targets()).to.deep.equal([1]);
    const changed = new Promise<void>((resolve) => {
      void gauge.watchMetrics?.(resolve, watching.signal);
    });
    await changed;
    expect(await targets()).to.deep.equal([9]);
    finish();
    while ((await targets())?.[0] === 9) await new Promise((resolve) => setImmediate(resolve));
    expect(await targets()).to.deep.equal([1]);
    watching.abort();
  });

  it('need not push metrics', async () => {
    const { server } = await serve(spec({ metricName: 'jobs', targetSize: 1 }));
    const gauge = await open(externalPush, server);
    await gauge.watchMetrics?.(() => {}, soon());
  });
});
