/** One write of one object, for real or as a dry run of the API server. */
import { TaskError } from '../../../engine/module.ts';
import type { RequestOptions } from '../../../kubernetes/api-client.ts';
import { ApiError } from '../../../kubernetes/api-error.ts';
import type { Cluster } from './cluster.ts';
import { type Json, memberOf } from './json.ts';
import type { K8sArgs } from './k8s-args.ts';
import { expectNamespace, pathOf, type Target } from './target.ts';
import { annotated, applyPatch } from './three-way-merge.ts';

type WriteMethod = 'create' | 'update' | 'replace' | 'apply';
export type Method = WriteMethod | 'delete';

/** What is to be written over what is there. */
export interface Wish {
  readonly target: Target;
  readonly definition: Json;
  readonly existing: Json | undefined;
}

/** The object as it is stored, or in a dry run would be. */
export interface Written {
  readonly object: Json;
  readonly warnings: readonly string[];
}

type WriteArgs = Pick<
  K8sArgs,
  'apply' | 'server_side_apply' | 'force' | 'merge_type' | 'validate' | 'delete_options'
>;

/** What kubernetes.core does with an object, by what is there. */
export function methodFor(existing: Json | undefined, { apply, force }: WriteArgs): WriteMethod {
  if (apply) return 'apply';
  if (existing === undefined) return 'create';
  return force ? 'replace' : 'update';
}

/** What a method does, for messages: `Failed to patch object: …`. */
export function verbOf(method: Method): string {
  return method === 'update' ? 'patch' : method;
}

export interface SendingOptions {
  /** The API server says what would become of it, and stores nothing. */
  readonly isDryRun: boolean;
  readonly signal?: AbortSignal | undefined;
}

/** Sends a write. Rejects as the client does, and with TaskError where the wish names too little. */
export async function writeObject(
  cluster: Cluster,
  wish: Wish,
  args: WriteArgs,
  { isDryRun, signal }: SendingOptions,
): Promise<Written> {
  const warnings: string[] = [];
  const method = methodFor(wish.existing, args);
  expectNamespace(wish.target, verbOf(method));
  const options: RequestOptions = {
    signal,
    query: {
      ...(isDryRun && { dryRun: 'All' }),
      ...(args.validate && { fieldValidation: validationOf(args.validate) }),
    },
    onWarning: (text) => warnings.push(text),
  };
  const object = await SENDERS[method](cluster, wish, args, options);
  return { object, warnings };
}

/** Asks for the end of an object; gives what the API server says of it, an empty object where it was gone already. */
export async function deleteObject(
  { client }: Cluster,
  target: Target,
  { delete_options: options }: WriteArgs,
  { isDryRun, signal }: SendingOptions,
): Promise<Json> {
  return (await client.delete<Json>(pathOf(target), { ...options, isDryRun, signal })) ?? {};
}

type Sender = (
  cluster: Cluster,
  wish: Wish,
  args: WriteArgs,
  options: RequestOptions,
) => Promise<Json>;

const create: Sender = ({ client }, { target, definition }, _args, options) =>
  client.create<Json>(pathOf({ ...target, name: undefined }), definition, options);

const SENDERS: Readonly<Record<WriteMethod, Sender>> = {
  create,

  replace({ client }, { target, definition, existing }, _args, options) {
    // Custom resources are not replaced without it. As kubectl replace: the version that is there.
    const { resourceVersion } = memberOf(existing, 'metadata');
    const metadata = { resourceVersion, ...memberOf(definition, 'metadata') };
    return client.replace<Json>(pathOf(target), { ...definition, metadata }, options);
  },

  async update({ client }, { target, definition }, { merge_type: types }, options) {
    const kinds = types ?? ['strategic-merge', 'merge'];
    for (const [i, each] of kinds.entries()) {
      const kind = each === 'merge' ? 'merge' : 'strategic';
      try {
        return await client.patch<Json>(pathOf(target), kind, definition, options);
      } catch (error) {
        const isLast = i === kinds.length - 1;
        if (isLast || !(error instanceof ApiError) || REFUSALS.includes(error.code)) throw error;
      }
    }
    throw new TaskError('merge_type is empty', { hint: 'leave it out' });
  },

  async apply(cluster, wish, args, options) {
    const { target, definition, existing } = wish;
    if (target.name === undefined) {
      throw new TaskError(`name is required to apply ${target.kind.kind}`, {
        hint: 'give metadata.name, or the argument name',
      });
    }
    const ssa = args.server_side_apply;
    if (ssa !== undefined) {
      const query = { fieldManager: ssa.field_manager, force: ssa.force_conflicts };
      const all = { ...options, query: { ...options.query, ...query } };
      return cluster.client.patch<Json>(pathOf(target), 'apply', definition, all);
    }
    if (existing === undefined) {
      return create(cluster, { ...wish, definition: annotated(definition) }, args, options);
    }
    const patch = applyPatch(existing, definition);
    if (patch === undefined) return existing;
    return cluster.client.patch<Json>(pathOf(target), 'merge', patch, options);
  },
};

/** Another kind of patch does not help against these. */
const REFUSALS = [401, 403, 404];

function validationOf({
  fail_on_error: isFatal,
  strict,
}: NonNullable<WriteArgs['validate']>): string {
  if (!strict) return 'Ignore';
  return isFatal ? 'Strict' : 'Warn';
}
