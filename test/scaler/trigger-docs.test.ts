import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { expect } from 'chai';
import { parse } from 'yaml';
import { renderTriggerDocs } from '../../scripts/trigger-docs.ts';
import { readExample } from '../../scripts/trigger-examples.ts';
import { renderExample } from '../../scripts/trigger-page.ts';
import { checkManifests } from '../../src/scaler/manifest/check-manifests.ts';
import { readManifests } from '../../src/scaler/manifest/read-manifests.ts';
import { triggers } from '../../src/scaler/triggers/registry.ts';
import { ROOT } from '../support/source-files.ts';

const documents = renderTriggerDocs();
const DOCS = join(ROOT, 'docs');

describe('the reference of triggers', () => {
  it('has a page for every trigger, and no other page', () => {
    const pages = readdirSync(join(DOCS, 'triggers')).map((page) => `triggers/${page}`);
    const wanted = [...documents.keys()].filter((path) => path.startsWith('triggers/'));
    expect(pages.sort(), 'run `npm run gen`').to.deep.equal(wanted.sort());
  });

  for (const [path, text] of documents) {
    it(`says in ${path} what the code says`, () => {
      expect(readFileSync(join(DOCS, path), 'utf8'), 'run `npm run gen`').to.equal(text);
    });
  }

  const schema: object = JSON.parse(documents.get('triggers.schema.json') ?? '');
  const isValid = new Ajv2020({ strict: false }).compile(schema);
  for (const trigger of Object.values(triggers)) {
    const manifests = renderExample(trigger);

    it(`shows an example of ${trigger.type} that works`, () => {
      expect(readExample(trigger).problems).to.deep.equal([]);
      const { problems, warnings } = checkManifests(
        readManifests(manifests, trigger.type).manifests,
        triggers,
        'tsprov',
      );
      expect([...problems, ...warnings]).to.deep.equal([]);
    });

    it(`has a schema that fits the example of ${trigger.type}`, () => {
      const [object = ''] = manifests.split('\n---\n');
      const { spec } = parse(object) as { spec: { triggers: readonly object[] } }; // Our own example.
      expect(
        spec.triggers.every((each) => isValid(each)),
        JSON.stringify(isValid.errors),
      ).to.equal(true);
    });
  }

  it('has a schema that refuses a misspelt parameter', () => {
    const metadata = { podSelector: 'app=shop', valeu: '5' };
    expect(isValid({ type: 'kubernetes-workload', metadata })).to.equal(false);
  });
});
