/** The schemas of the language and of the bundled modules, as functions for the bundle. */
import { Ajv } from 'ajv';
import standalone from 'ajv/dist/standalone/index.js';
import { KEYWORD_SCHEMA } from '../src/engine/playbook/keywords.ts';
import { registry } from '../src/modules/registry.ts';
import { COMPILER, type Schema, schemaKey } from '../src/shared/schema-compiler.ts';

/**
 * Text of the module that stands for `src/shared/compiled-schemas.ts` in the bundle. Each schema is in a function of its
 * own, so that only those in use are made.
 */
export async function compiledSchemasModule(): Promise<string> {
  const modules = await Promise.all(Object.values(registry).map((load) => load()));
  const schemas: Schema[] = [KEYWORD_SCHEMA, ...modules.map(({ args }) => args.schema)];
  const ajv = new Ajv({ ...COMPILER, code: { source: true } });
  const entries = schemas.map((schema) => {
    const text = standalone.default(ajv, ajv.compile(schema));
    return `[${JSON.stringify(schemaKey(schema))}, () => { const module = {}; ${text}; return module.exports; }]`;
  });
  return `export const compiledSchemas = new Map([${entries.join(',\n')}]);\n`;
}
