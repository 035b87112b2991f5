/**
 * What is not there yet, but will be by the time an object is written: what earlier objects of the task bring, and in a
 * check run earlier tasks.
 */
import { ApiError } from '../../../kubernetes/api-error.ts';
import type { ServedKind } from '../../../kubernetes/served-kind.ts';
import { type Json, memberOf, textOf } from './json.ts';
import { kindFromDefinition } from './target.ts';

/** Kinds that decide what somebody may do, or what is admitted. */
const RIGHTS = [
  ...['Role', 'ClusterRole', 'RoleBinding', 'ClusterRoleBinding', 'ServiceAccount'],
  ...['PriorityClass', 'ResourceQuota', 'LimitRange', 'Namespace'],
];
/** Kinds of which webhooks and aggregated API servers consist. */
const SERVERS = [
  ...['Service', 'Deployment', 'Secret', 'APIService'],
  ...['ValidatingWebhookConfiguration', 'MutatingWebhookConfiguration'],
];

/** The kind that one of these definitions will bring. */
export function pendingKind(
  earlier: readonly Json[],
  apiVersion: string,
  word: string,
): ServedKind | undefined {
  const definitions = earlier.filter(({ kind }) => kind === 'CustomResourceDefinition');
  return definitions
    .map((each) => kindFromDefinition(each, apiVersion, word))
    .find((kind) => kind !== undefined);
}

/** Whether an error may be gone once these objects have been written. */
export function isCuredBy(error: unknown, earlier: readonly Json[]): boolean {
  if (!(error instanceof ApiError)) return false;
  const has = (kinds: readonly string[]) =>
    earlier.some(({ kind }) => typeof kind === 'string' && kinds.includes(kind));
  const [, namespace] = /^namespaces "([^"]+)" not found/.exec(error.message) ?? [];
  if (namespace !== undefined) return earlier.some((each) => isNamespace(each, namespace));
  if (error.code === 403) return has(RIGHTS);
  return (error.code === 500 || error.code === 503) && has(SERVERS);
}

function isNamespace(object: Json, name: string): boolean {
  return object['kind'] === 'Namespace' && textOf(memberOf(object, 'metadata'), 'name') === name;
}
