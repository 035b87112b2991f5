/** The schemas of each program, as functions for its bundle. */
import { Ajv } from 'ajv';
import standalone from 'ajv/dist/standalone/index.js';
import { KEYWORD_SCHEMA } from '../src/engine/playbook/keywords.ts';
import { registry } from '../src/modules/registry.ts';
import { strictSchema } from '../src/scaler/manifest/check-schema.ts';
import { resources } from '../src/scaler/resources/all.ts';
import { COMPILER, type Schema, schemaKey } from '../src/shared/schema-compiler.ts';

/** Those of the playbook language and of the arguments of bundled modules. */
export async function playbookSchemas(): Promise<readonly Schema[]> {
  const modules = await Promise.all(Object.values(registry).map((load) => load()));
  return [KEYWORD_SCHEMA, ...modules.map(({ args }) => args.schema)];
}

/** Those by which manifests of the scaler are checked. */
export function resourceSchemas(): readonly Schema[] {
  return resources.map(strictSchema);
}

/**
 * Text of the module that stands for `src/shared/compiled-schemas.ts` in a bundle. Each schema is in a function of its
 * own, so that only those in use are made.
 */
export function compiledSchemasModule(schemas: readonly Schema[]): string {
  const ajv = new Ajv({ ...COMPILER, code: { source: true } });
  const entries = schemas.map((schema) => {
    const text = standalone.default(ajv, ajv.compile(schema));
    return `[${JSON.stringify(schemaKey(schema))}, () => { const module = {}; ${text}; return module.exports; }]`;
  });
  return `export const compiledSchemas = new Map([${entries.join(',\n')}]);\n`;
}
