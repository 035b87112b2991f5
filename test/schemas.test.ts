/** Schemas are not checked when a run compiles them, so a fault in one must show here. */
import { Ajv } from 'ajv';
import { expect } from 'chai';
import { KEYWORD_SCHEMA } from '../src/engine/playbook/keywords.ts';
import { registry } from '../src/modules/registry.ts';

const ajv = new Ajv({ allowUnionTypes: true, strict: true });

function expectValid(schema: Readonly<Record<string, unknown>>): void {
  expect(() => ajv.compile(schema)).not.to.throw();
}

describe('schemas', () => {
  it('keywords of the playbook language', () => expectValid(KEYWORD_SCHEMA));

  for (const [name, load] of Object.entries(registry)) {
    it(`arguments of ${name}`, async () => expectValid((await load()).args.schema));
  }
});
