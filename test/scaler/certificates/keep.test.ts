import { expect } from 'chai';
import { type Clock, systemClock } from '../../../src/kubernetes/clock.ts';
import {
  type CertificateStore,
  ensureCertificates,
  ForeignCertificates,
  type Keeping,
  keepCertificates,
  renewCertificates,
} from '../../../src/scaler/certificates/keep.ts';
import { DEFAULT_LIFETIMES } from '../../../src/scaler/certificates/make.ts';
import type { TlsCredentials } from '../../../src/scaler/certificates/material.ts';
import { readBundle } from '../../../src/scaler/certificates/plan.ts';
import { Changing } from '../../../src/scaler/changing.ts';

const NOW = new Date('2031-05-01T12:00:00Z');
const WANTED = { names: ['metrics.scaling.svc'], lifetimes: DEFAULT_LIFETIMES };
const daysLater = (days: number) => new Date(NOW.getTime() + days * 86_400_000);
/** Stands still at a time; every wait is over at once, and noted. */
const clockAt = (time: Date, waits: number[] = []): Clock => ({
  ...systemClock,
  wallMs: () => time.getTime(),
  after(ms, act) {
    waits.push(ms);
    setImmediate(act);
    return { cancel: () => {} };
  },
});
const { signal } = new AbortController();

/** A Secret as an API server keeps it: writes that come second are refused. */
function makeStore(): CertificateStore & {
  writes: number;
  data: Record<string, string> | undefined;
} {
  return {
    place: 'Secret scaling/certificates',
    writes: 0,
    data: undefined,
    async read() {
      return this.data && { data: this.data, resourceVersion: String(this.writes) };
    },
    async create(data) {
      if (this.data !== undefined) return false;
      [this.data, this.writes] = [{ ...data }, this.writes + 1];
      return true;
    },
    async replace(data, resourceVersion) {
      if (resourceVersion !== String(this.writes)) return false;
      [this.data, this.writes] = [{ ...data }, this.writes + 1];
      return true;
    },
  };
}

describe('certificates in a Secret', () => {
  it('are made once, and then used by whoever comes', async () => {
    const store = makeStore();
    const first = await ensureCertificates(store, WANTED, NOW, signal);
    const second = await ensureCertificates(store, WANTED, NOW, signal);
    expect(second).to.deep.equal(first);
    expect(store.writes).to.equal(1);
  });

  it('are the same for two operators that start at once', async () => {
    const store = makeStore();
    const both = await Promise.all([
      ensureCertificates(store, WANTED, NOW, signal),
      ensureCertificates(store, WANTED, NOW, signal),
    ]);
    expect(both[0]).to.deep.equal(both[1]);
  });

  it('are the same for two operators that renew them at once', async () => {
    const store = makeStore();
    const old = await ensureCertificates(store, WANTED, NOW, signal);
    const later = daysLater(300);
    const both = await Promise.all([
      ensureCertificates(store, WANTED, later, signal),
      ensureCertificates(store, WANTED, later, signal),
    ]);
    expect(both[0]).to.deep.equal(both[1]);
    expect(both[0].cert).not.to.equal(old.cert);
    expect(both[0].ca).to.equal(old.ca);
  });

  it('keep the old authority beside a new one', async () => {
    const store = makeStore();
    const old = await ensureCertificates(store, WANTED, NOW, signal);
    const renewed = await ensureCertificates(store, WANTED, daysLater(3300), signal);
    const authorities = readBundle(renewed.ca).map(String);
    expect(authorities).to.have.length(2);
    expect(authorities[1]?.trim()).to.equal(old.ca.trim());
  });

  it('that somebody else makes are refused when they are of no use, and not written', async () => {
    const store = makeStore();
    await ensureCertificates(store, WANTED, NOW, signal);
    const { 'ca.key': _, ...foreign } = store.data ?? {};
    store.data = foreign;
    const error = await ensureCertificates(store, WANTED, daysLater(400), signal).catch((e) => e);
    expect(error).to.be.instanceOf(ForeignCertificates);
    expect(error.message).to.match(
      /^Secret scaling\/certificates cannot be used: .* not valid now/,
    );
    expect(store.data).to.equal(foreign);
  });

  it('leave what else is in the Secret where it is', async () => {
    const store = makeStore();
    store.data = { note: 'mine' };
    await ensureCertificates(store, WANTED, NOW, signal);
    expect(store.data).to.include({ note: 'mine' });
    expect(store.data).to.have.property('tls.crt');
  });

  it('end with an error where somebody writes the Secret again and again', async () => {
    const store = { ...makeStore(), replace: async () => false, create: async () => false };
    const error = await ensureCertificates(store, WANTED, NOW, signal).catch((e) => e);
    expect(error.message).to.include('was written by somebody else 10 times in a row');
  });
});

describe('a renewal', () => {
  async function start(): Promise<Keeping & { log: string[]; served: TlsCredentials[] }> {
    const store = makeStore();
    const credentials = new Changing<TlsCredentials>(
      await ensureCertificates(store, WANTED, NOW, signal),
    );
    const log: string[] = [];
    const served: TlsCredentials[] = [];
    credentials.onChange((each) => {
      log.push('serve');
      served.push(each);
    });
    const publish = async () => void log.push('publish');
    const onError = () => log.push('error');
    return {
      store,
      credentials,
      log,
      served,
      publish,
      onError,
      wanted: WANTED,
      clock: clockAt(daysLater(3300)),
    };
  }

  it('publishes the new authority and trusts it before anything is served with it', async () => {
    const keeping = await start();
    const waits: number[] = [];
    const old = keeping.credentials.value;
    const clock = clockAt(daysLater(3300), waits);
    await renewCertificates({ ...keeping, clock }, signal);
    expect(keeping.log).to.deep.equal(['publish', 'serve', 'serve']);
    const [trusting, renewed] = keeping.served;
    expect(trusting).to.include({ cert: old.cert, ca: renewed?.ca });
    expect(renewed?.cert).not.to.equal(old.cert);
    expect(waits).to.deep.equal([90_000]);
  });

  it('is served at once where the old certificate is trusted no more', async () => {
    const keeping = { ...(await start()), clock: clockAt(NOW) };
    await keeping.store.replace({}, '1', signal);
    await renewCertificates(keeping, signal);
    expect(keeping.log).to.deep.equal(['publish', 'serve']);
  });

  it('serves the old certificate as long as the new authority cannot be published', async () => {
    const keeping = await start();
    const publish = () => Promise.reject(new Error('no answer'));
    const error = await renewCertificates({ ...keeping, publish }, signal).catch((e) => e);
    expect(error.message).to.equal('no answer');
    expect(keeping.log).to.deep.equal([]);
    await renewCertificates(keeping, signal);
    expect(keeping.log).to.deep.equal(['publish', 'serve', 'serve']);
  });

  it('changes nothing for those who serve where nothing has changed', async () => {
    const keeping = { ...(await start()), clock: clockAt(NOW) };
    await renewCertificates(keeping, signal);
    expect(keeping.log).to.deep.equal(['publish']);
  });

  it('is tried again after a failure, and ends with the signal', async () => {
    const keeping = await start();
    const end = new AbortController();
    const failures: unknown[] = [];
    let rounds = 0;
    const publish = async () => {
      rounds += 1;
      if (rounds === 1) throw new Error('no answer');
      end.abort();
    };
    const onError = (error: unknown) => failures.push(String(error));
    await keepCertificates({ ...keeping, publish, onError }, end.signal);
    expect(failures).to.deep.equal(['Error: no answer']);
    expect(keeping.served).not.to.deep.equal([]);
  });
});
