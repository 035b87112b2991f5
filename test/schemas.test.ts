/** Schemas are not checked when a run compiles them, so a fault in one must show here. */
import { Ajv } from 'ajv';
import { expect } from 'chai';
import { keywordSchema, type Level } from '../src/engine/playbook/keywords.ts';
import { registry } from '../src/modules/registry.ts';

const ajv = new Ajv({ allowUnionTypes: true, strict: true });

function expectValid(schema: Readonly<Record<string, unknown>>): void {
  expect(() => ajv.compile(schema)).not.to.throw();
}

describe('schemas', () => {
  const levels: readonly Level[] = ['play', 'role', 'block', 'task', 'handler', 'import_playbook'];
  for (const level of levels) {
    it(`keywords of a ${level}`, () => expectValid(keywordSchema(level)));
  }

  for (const [name, load] of Object.entries(registry)) {
    it(`arguments of ${name}`, async () => expectValid((await load()).args.schema));
  }
});
