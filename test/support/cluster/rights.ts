/** The rights that the role `scaler` gives to the operator, and what is used of them. */
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseAllDocuments } from 'yaml';
import { mustRun } from '../run-command.ts';
import type { AuditEvent } from './audit.ts';

/** Variables of the role. */
export type RoleVariables = Readonly<Record<string, unknown>>;

interface Rule {
  readonly apiGroups: readonly string[];
  readonly resources: readonly string[];
  readonly resourceNames?: readonly string[];
  readonly verbs: readonly string[];
}
interface RbacObject {
  readonly kind: string;
  readonly metadata: { readonly name: string; readonly namespace?: string };
  readonly rules?: readonly Rule[];
  readonly roleRef?: { readonly kind: string; readonly name: string };
  readonly subjects?: readonly {
    readonly kind: string;
    readonly name: string;
    readonly namespace?: string;
  }[];
}

/** One verb that a role gives to a user, on one resource. */
interface Right {
  readonly role: string;
  readonly user: string;
  /** Where it is bound; absent: everywhere. */
  readonly namespace: string | undefined;
  readonly verb: string;
  readonly group: string;
  readonly resource: string;
  readonly names: readonly string[] | undefined;
}

/** Renders the objects as the role does for users. */
export async function renderRights(variables: RoleVariables): Promise<readonly RbacObject[]> {
  const folder = await mkdtemp(join(tmpdir(), 'rights-'));
  const file = join(folder, 'rbac.yaml');
  const given = { ...variables, scaler_parts: ['rbac'], scaler_manifests_file: file };
  const words = ['play', 'playbooks/scaler-manifests.yaml', '-e', JSON.stringify(given)];
  try {
    await mustRun(process.execPath, ['bin/tsprov.js', ...words]);
    const documents = parseAllDocuments(await readFile(file, 'utf8'));
    return documents.flatMap((each) => (each.toJS() as RbacObject | null) ?? []);
  } finally {
    await rm(folder, { recursive: true });
  }
}

/** What every operator of this process was granted, has used and was refused. */
export class RightsRecord {
  /** By their text. */
  readonly granted = new Set<string>();
  readonly used = new Set<string>();
  readonly refused = new Set<string>();

  /** Adds what became of the rights of one cluster, by its audit log. */
  add(objects: readonly RbacObject[], log: readonly AuditEvent[]): void {
    const rights = rightsOf(objects);
    const users = new Set(rights.map(({ user }) => user));
    for (const right of rights) this.granted.add(textOf(right));
    for (const event of log.filter(({ user }) => users.has(user.username))) {
      const covering = rights.filter((right) => covers(right, event));
      for (const right of covering) this.used.add(textOf(right));
      // An API server that has just begun, or has just been told, refuses for a moment what is granted.
      const isGranted = isForbidden(event) && covering.length > 0;
      if (event.responseStatus?.code === 403 && !isGranted) this.refused.add(describe(event));
    }
  }

  get unused(): readonly string[] {
    return [...this.granted].filter((right) => !this.used.has(right)).toSorted();
  }
}

/** Of all suites that run together. */
export const rightsRecord = new RightsRecord();

function rightsOf(objects: readonly RbacObject[]): readonly Right[] {
  return objects.flatMap(({ metadata, roleRef, subjects = [] }) => {
    const role = objects.find(
      (each) => each.kind === roleRef?.kind && each.metadata.name === roleRef.name,
    );
    const users = subjects
      .filter(({ kind, namespace }) => kind === 'ServiceAccount' && namespace !== 'kube-system')
      .map((each) => `system:serviceaccount:${each.namespace}:${each.name}`);
    return users.flatMap((user) =>
      (role?.rules ?? []).flatMap((rule) =>
        spread(rule).map((right) => ({
          ...right,
          user,
          role: role?.metadata.name ?? '',
          namespace: metadata.namespace,
        })),
      ),
    );
  });
}

function spread({ apiGroups, resources, resourceNames: names, verbs }: Rule) {
  return apiGroups.flatMap((group) =>
    resources.flatMap((resource) => verbs.map((verb) => ({ group, resource, verb, names }))),
  );
}

function covers(right: Right, { user, verb, objectRef }: AuditEvent): boolean {
  if (objectRef === undefined || right.user !== user.username || right.verb !== verb) return false;
  const { apiGroup = '', resource, subresource, namespace, name = '' } = objectRef;
  const full = subresource === undefined ? resource : `${resource}/${subresource}`;
  return (
    right.group === apiGroup &&
    right.resource === full &&
    (right.namespace === undefined || right.namespace === namespace) &&
    right.names?.includes(name) !== false
  );
}

/** Whether the request was refused for want of a right; admission refuses with the same code. */
function isForbidden({ annotations }: AuditEvent): boolean {
  return annotations?.['authorization.k8s.io/decision'] === 'forbid';
}

/** The same whether it is of KEDA's names or of ours. */
function textOf({ role, verb, group, resource, names }: Right): string {
  const named = names === undefined ? '' : ' by name';
  return `${role}: ${verb} ${resource} of ${group.replace('keda.sh', 'scaler.tsprov.dev')}${named}`;
}

function describe({ user, verb, requestURI }: AuditEvent): string {
  return `${user.username}: ${verb} ${requestURI}`;
}
