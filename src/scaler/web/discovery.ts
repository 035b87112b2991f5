/** What the API says of itself: groups, versions, resources, OpenAPI. Fixed documents. */
import { createHash } from 'node:crypto';
import type { MediaType } from './accept.ts';
import { GROUP, GROUP_VERSION, VERSION } from './metric-query.ts';

const KIND = 'ExternalMetricValueList';
const RESOURCE = 'externalmetrics';
const VERSION_ENTRY = { groupVersion: GROUP_VERSION, version: VERSION };
const API_GROUP = { name: GROUP, versions: [VERSION_ENTRY], preferredVersion: VERSION_ENTRY };

export const API_GROUP_LIST = { kind: 'APIGroupList', apiVersion: 'v1', groups: [API_GROUP] };

export const API_GROUP_DOCUMENT = { kind: 'APIGroup', apiVersion: 'v1', ...API_GROUP };

/** One resource stands for every metric: they are not listed. */
export const API_RESOURCE_LIST = {
  kind: 'APIResourceList',
  apiVersion: 'v1',
  groupVersion: GROUP_VERSION,
  resources: [{ name: RESOURCE, singularName: '', namespaced: true, kind: KIND, verbs: ['get'] }],
};

const AGGREGATED_ITEMS = [
  {
    metadata: { name: GROUP, creationTimestamp: null },
    versions: [
      {
        version: VERSION,
        freshness: 'Current',
        resources: [
          {
            resource: RESOURCE,
            responseKind: { group: GROUP, version: VERSION, kind: KIND },
            scope: 'Namespaced',
            singularResource: '',
            verbs: ['get'],
          },
        ],
      },
    ],
  },
];

/** The forms of aggregated discovery, which asks for all groups in one document. */
export const AGGREGATED_DISCOVERY = ['v2', 'v2beta1'].map((version) => ({
  mediaType: aggregatedType(version),
  document: {
    kind: 'APIGroupDiscoveryList',
    apiVersion: `apidiscovery.k8s.io/${version}`,
    metadata: {},
    items: AGGREGATED_ITEMS,
  },
}));

const INFO = { title: 'External metrics of tsprov-scaler', version: VERSION };

/** The aggregator merges it with the documents of the other servers. */
export const OPENAPI_V2 = { swagger: '2.0', info: INFO, paths: {}, definitions: {} };

const OPENAPI_V3_PATH = `apis/${GROUP_VERSION}`;

const OPENAPI_V3_DOCUMENT = {
  openapi: '3.0.0',
  info: INFO,
  paths: {
    [`/${OPENAPI_V3_PATH}/namespaces/{namespace}/{metric}`]: {
      get: {
        description: 'The values of a metric of one ScaledObject.',
        parameters: [
          parameter('namespace', 'path'),
          parameter('metric', 'path'),
          parameter('labelSelector', 'query'),
        ],
        responses: {
          200: {
            description: 'OK',
            content: { 'application/json': { schema: { type: 'object' } } },
          },
        },
      },
    },
  },
};

/** The address below which the document of the group version is found. */
export const OPENAPI_V3 = {
  paths: {
    [OPENAPI_V3_PATH]: {
      serverRelativeURL: `/openapi/v3/${OPENAPI_V3_PATH}?hash=${fingerprint(OPENAPI_V3_DOCUMENT)}`,
    },
  },
};

/** Documents by their paths, each as JSON alone. */
export const DOCUMENTS: Readonly<Record<string, object>> = {
  [`/apis/${GROUP}`]: API_GROUP_DOCUMENT,
  [`/apis/${GROUP_VERSION}`]: API_RESOURCE_LIST,
  '/openapi/v2': OPENAPI_V2,
  '/openapi/v3': OPENAPI_V3,
  [`/openapi/v3/${OPENAPI_V3_PATH}`]: OPENAPI_V3_DOCUMENT,
};

/** Says whether a document is the one that a client has already. */
export function fingerprint(document: object): string {
  return createHash('sha256').update(JSON.stringify(document)).digest('hex').slice(0, 32);
}

function aggregatedType(version: string): MediaType {
  const parameters = { g: 'apidiscovery.k8s.io', v: version, as: 'APIGroupDiscoveryList' };
  return { type: 'application/json', parameters };
}

function parameter(name: string, place: 'path' | 'query'): object {
  const schema = { type: 'string' };
  return place === 'path'
    ? { name, in: place, required: true, schema }
    : { name, in: place, schema };
}
