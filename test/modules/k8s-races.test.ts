/** What module k8s does when others write at the same time, or the API server cannot be asked beforehand. */
import { expect } from 'chai';
import { k8s } from '../../src/modules/k8s.ts';
import { parseArgs } from '../../src/shared/validate.ts';
import { localController } from '../support/local-controller.ts';
import { type LocalHost, openLocalHost } from '../support/local-host.ts';
import { type Answer, FakeApiServer, json, status } from '../support/scaler/fake-api-server.ts';

const KINDS = json({ resources: [{ name: 'configmaps', kind: 'ConfigMap', namespaced: true }] });
const MISSING = status(404, 'NotFound', 'configmaps "a" not found');

/** The ConfigMap as the API server has it. */
const stored = (resourceVersion: string, data: object, more: object = {}) => ({
  apiVersion: 'v1',
  kind: 'ConfigMap',
  metadata: { name: 'a', namespace: 'n', resourceVersion },
  data,
  ...more,
});

describe('Module k8s', () => {
  let here: LocalHost;
  let api: FakeApiServer;

  beforeEach(async () => {
    here = await openLocalHost();
    api = await FakeApiServer.start();
  });
  afterEach(() => Promise.all([here.close(), api.close()]));

  /** Plays the task that wants `x: 1`; gives its result and the requests, dry runs marked. */
  async function play(answers: readonly Answer[], more: object = {}) {
    api.answer(KINDS, ...answers);
    const args = parseArgs(k8s.args, k8s, {
      ...{ host: api.url.href, api_key: 't', kind: 'ConfigMap', name: 'a', namespace: 'n' },
      ...{ definition: { data: { x: '1' } }, ...more },
    });
    const controller = localController(here.directory);
    const host = await here.writer({ isLocal: true });
    const input = await k8s.prepare?.(controller, args);
    if (input === undefined) throw new Error('the module prepares nothing');
    const state = await k8s.probe(host, input);
    const plan = k8s.plan(state, input);
    const outputs = plan.steps.length > 0 ? await k8s.apply?.(host, plan, input) : [];
    const result = k8s.report?.(state, input, plan, outputs ?? []);
    for (const note of controller.notes.values()) {
      await (note as AsyncDisposable)[Symbol.asyncDispose]();
    }
    const requests = api.requests.map(({ method, query }) =>
      query['dryRun'] === undefined ? method : `${method} dry`,
    );
    return { result, requests: requests.slice(1), warnings: plan.warnings };
  }

  it('takes for no change what a controller writes between the look and the dry run', async () => {
    const busy = stored('2', { x: '1' }, { status: { seen: true } });
    const { result, requests } = await play([
      ...[json(stored('1', { x: '1' })), json(busy)],
      ...[json(busy), json(busy)],
    ]);
    expect(requests).to.deep.equal(['GET', 'PATCH dry', 'GET', 'PATCH dry']);
    expect(result).to.include({ changed: false, method: 'update' });
  });

  it('changes what somebody else has made since the look', async () => {
    const { result, requests } = await play([
      ...[MISSING, json(stored('', { x: '1' }))],
      status(409, 'AlreadyExists', 'configmaps "a" already exists'),
      ...[json(stored('1', { x: '0' })), json(stored('2', { x: '1' }))],
    ]);
    expect(requests).to.deep.equal(['GET', 'POST dry', 'POST', 'GET', 'PATCH']);
    expect(result).to.include({ changed: true, method: 'update' });
  });

  it('makes what somebody else has deleted since the look', async () => {
    const { result, requests } = await play([
      ...[json(stored('1', { x: '0' })), json(stored('1', { x: '1' }))],
      ...[MISSING, MISSING, json(stored('3', { x: '1' }))],
    ]);
    expect(requests).to.deep.equal(['GET', 'PATCH dry', 'PATCH', 'GET', 'POST']);
    expect(result).to.include({ changed: true, method: 'create' });
  });

  it('judges by what is stored where a webhook takes no dry runs', async () => {
    const webhook = 'admission webhook "w.example" does not support dry run';
    const refused = status(400, 'BadRequest', webhook);
    const now = stored('1', { x: '0' });
    const { result, requests } = await play([
      ...[json(now), refused, refused],
      ...[json(now), json(now)],
    ]);
    expect(requests).to.deep.equal(['GET', 'PATCH dry', 'PATCH dry', 'GET', 'PATCH']);
    expect(result).to.include({ changed: false, method: 'update' });
  });

  it('falls back on a merge patch where a kind knows no strategic one', async () => {
    const { result, requests } = await play([
      json(stored('1', { x: '1' })),
      ...[status(415, 'UnsupportedMediaType', 'no'), json(stored('1', { x: '1' }))],
    ]);
    expect(requests).to.deep.equal(['GET', 'PATCH dry', 'PATCH dry']);
    expect(api.requests.map(({ headers }) => headers['content-type']).slice(2)).to.deep.equal([
      'application/strategic-merge-patch+json',
      'application/merge-patch+json',
    ]);
    expect(result).to.include({ changed: false });
  });

  it('hands on what the API server warns of', async () => {
    const warned: Answer = (response, request) => {
      response.setHeader('warning', '299 - "v1 ConfigMap is old", 299 - "so is x"');
      json(stored('1', { x: '1' }))(response, request);
    };
    const { warnings } = await play([json(stored('1', { x: '1' })), warned]);
    expect(warnings).to.deep.equal(['v1 ConfigMap is old', 'so is x']);
  });
});
