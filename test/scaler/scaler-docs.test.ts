import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'chai';
import { renderScalerDocs } from '../../scripts/scaler-docs.ts';
import { checkManifests } from '../../src/scaler/manifest/check-manifests.ts';
import { readManifests } from '../../src/scaler/manifest/read-manifests.ts';
import { KEDA_NAMES, keysOf, TSPROV_NAMES } from '../../src/scaler/names.ts';
import { triggers } from '../../src/scaler/triggers/registry.ts';
import { ROOT } from '../support/source-files.ts';

const read = (path: string) => readFileSync(join(ROOT, path), 'utf8');

/** Where conditions and events get their reasons. */
const SPEAKERS = [
  'controller/findings',
  'controller/finalize',
  'controller/job-findings',
  'controller/job-history',
  'controller/reports',
  'controller/scaled-job',
  'controller/start-jobs',
  'decide/decide',
  'operator/notices',
];

describe('the reference of the scaler', () => {
  for (const [path, text] of renderScalerDocs()) {
    it(`says in ${path} what the code says`, () => {
      expect(read(`docs/${path}`), 'run `npm run gen`').to.equal(text);
    });
  }
});

describe('the examples', () => {
  for (const file of readdirSync(join(ROOT, 'examples')).filter((name) => name.endsWith('.yaml'))) {
    it(`${file} has neither problems nor warnings`, () => {
      const { manifests, problems: syntax } = readManifests(read(`examples/${file}`), file);
      const { problems, warnings, scaledObjects } = checkManifests(manifests, triggers, 'tsprov');
      expect([...syntax, ...problems, ...warnings]).to.deep.equal([]);
      expect(scaledObjects).to.have.length(1);
    });
  }
});

describe('the guide to the scaler', () => {
  const page = read('docs/scaler.md');

  it('knows every reason of conditions and events', () => {
    const reasons = SPEAKERS.flatMap((path) =>
      [
        ...read(`src/scaler/${path}.ts`).matchAll(
          /'([A-Z][a-z]+[A-Z]\w+)'|reasonPrefix\}([A-Z]\w+)/g,
        ),
      ].map(([, literal, prefixed]) => literal ?? prefixed ?? ''),
    );
    expect(reasons).to.include.members(['ScaledObjectPaused', 'JobsCreated', 'ScalerCooldown']);
    expect([...new Set(reasons)].filter((reason) => !page.includes(reason))).to.deep.equal([]);
  });

  it('knows every name, and the one that it has beside KEDA', () => {
    const all = [...Object.values(TSPROV_NAMES), ...Object.values(KEDA_NAMES)];
    const names = all.filter((name) => typeof name === 'string');
    expect(names.filter((name) => !page.includes(name))).to.deep.equal([]);
    const keys = Object.values(keysOf(TSPROV_NAMES));
    expect(keys.filter((key) => !page.includes(key))).to.deep.equal([]);
  });

  it('has the conditions of every resource', () => {
    for (const type of ['Ready', 'Active', 'Fallback', 'Paused', 'HPAActive']) {
      expect(page).to.include(`| \`${type}\` |`);
    }
  });
});
