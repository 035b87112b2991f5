/** Custom resources: their declaration, and the CustomResourceDefinition that the cluster gets. */
import type { ObjectMeta, OwnerReference } from '../../kubernetes/objects.ts';
import { apiVersionOf, type Names, VERSION } from '../names.ts';
import { type JsonSchema, object, optional, type Schema, str } from './openapi.ts';

/** An object of a custom resource, as the API server gives it. */
export interface ObjectOf<Spec, Status> {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata: ObjectMeta;
  readonly spec: Spec;
  readonly status?: Status;
}

interface Column {
  readonly name: string;
  readonly path: string;
  readonly type?: 'string' | 'integer' | 'date';
  /** 1: only in wide output. */
  readonly priority?: number;
}

export interface Resource {
  readonly kind: string;
  readonly plural: string;
  readonly shortNames: readonly string[];
  readonly isNamespaced: boolean;
  readonly description: string;
  readonly spec: Schema<unknown>;
  readonly status: Schema<unknown>;
  readonly columns: readonly Column[];
}

/** A column with the status of a condition. */
export function conditionColumn(type: string): Column {
  return { name: type, path: `.status.conditions[?(@.type=="${type}")].status` };
}

export function defineResource(resource: Resource): Resource {
  return resource;
}

/** The schema of a whole object. */
export function schemaOf({ description, spec, status }: Resource): JsonSchema {
  return object(
    {
      apiVersion: optional(str('Version of the API.')),
      kind: optional(str('Kind of the object.')),
      metadata: optional({ json: { type: 'object' }, isRequired: false } as Schema<object>),
      spec,
      status: optional(status),
    },
    description,
  ).json;
}

/** The CustomResourceDefinition (apiextensions.k8s.io/v1) of a resource. */
export function renderCrd(resource: Resource, names: Names) {
  const { kind, plural, shortNames, isNamespaced } = resource;
  return {
    apiVersion: 'apiextensions.k8s.io/v1',
    kind: 'CustomResourceDefinition',
    metadata: {
      name: `${plural}.${names.group}`,
      labels: { 'app.kubernetes.io/part-of': names.manager },
    },
    spec: {
      group: names.group,
      scope: isNamespaced ? 'Namespaced' : 'Cluster',
      names: { kind, listKind: `${kind}List`, plural, singular: kind.toLowerCase(), shortNames },
      versions: [
        {
          name: VERSION,
          served: true,
          storage: true,
          schema: { openAPIV3Schema: schemaOf(resource) },
          subresources: { status: {} },
          additionalPrinterColumns: [
            ...resource.columns.map(renderColumn),
            renderColumn({ name: 'Age', path: '.metadata.creationTimestamp', type: 'date' }),
          ],
        },
      ],
    },
  };
}

/** Where the API server has the objects. */
export function pathOf(resource: Resource, names: Names) {
  return { group: names.group, version: VERSION, resource: resource.plural };
}

/** A controller's owner reference (metadata/v1), for objects that must go when the owner goes. */
export function ownerReference(
  kind: string,
  { name, uid = '' }: ObjectMeta,
  names: Names,
): OwnerReference {
  return {
    apiVersion: apiVersionOf(names),
    kind,
    name,
    uid,
    controller: true,
    blockOwnerDeletion: true,
  };
}

function renderColumn({ name, path, type = 'string', priority }: Column) {
  return { name, type, jsonPath: path, ...(priority !== undefined && { priority }) };
}
