/** Checks objects against the schemas of their custom resources, more strictly than the API server: it drops what it does not know. */

import type { Schema } from '../../shared/schema-compiler.ts';
import type { ValueProblem } from '../../shared/schema-problem.ts';
import { compileSchema } from '../../shared/validate.ts';
import type { JsonSchema } from '../resources/openapi.ts';
import { type Resource, schemaOf } from '../resources/resource.ts';

const INT32 = { minimum: -(2 ** 31), maximum: 2 ** 31 - 1 };
const KEPT = ['type', 'enum', 'minLength', 'minItems', 'minimum', 'maximum', 'required'];

const checks = new Map<Resource, (value: unknown) => readonly ValueProblem[]>();

/** Everything in an object that its schema forbids, with the place in the object. */
export function checkSchema(resource: Resource, value: unknown): readonly ValueProblem[] {
  const known = checks.get(resource);
  const check = known ?? compileSchema(strictSchema(resource));
  if (known === undefined) checks.set(resource, check);
  return check(value);
}

/** The schema by which objects of a resource are checked, as JSON Schema. */
export function strictSchema(resource: Resource): Schema {
  return strict(schemaOf(resource));
}

/** The part of a structural schema that is JSON Schema, closed to members that it does not name. */
function strict(schema: JsonSchema): Record<string, unknown> {
  const own = Object.fromEntries(
    KEPT.flatMap((key) => (key in schema ? [[key, schema[key]]] : [])),
  );
  const { items, properties, additionalProperties } = schema as {
    items?: JsonSchema;
    properties?: Readonly<Record<string, JsonSchema>>;
    additionalProperties?: JsonSchema;
  }; // Written by our own builders.
  return {
    ...(schema['format'] === 'int32' && INT32),
    ...own,
    ...(items !== undefined && { items: strict(items) }),
    ...(properties !== undefined && {
      properties: Object.fromEntries(
        Object.entries(properties).map(([name, member]) => [name, strict(member)]),
      ),
      ...(schema['x-kubernetes-preserve-unknown-fields'] !== true && {
        additionalProperties: false,
      }),
    }),
    ...(additionalProperties !== undefined && {
      additionalProperties: strict(additionalProperties),
    }),
  };
}
