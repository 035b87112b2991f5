/** The objects that a task is about, from whatever it gives. */
import { type Controller, TaskError } from '../../../engine/module.ts';
import { InvalidInput } from '../../../shared/errors.ts';
import { isJson, type Json, memberOf, textOf } from './json.ts';
import type { K8sArgs } from './k8s-args.ts';
import { renderTemplates, type SourceText } from './templates.ts';

type Given = Pick<K8sArgs, 'kind' | 'api_version' | 'name' | 'namespace' | 'resource_definition'> &
  Partial<Pick<K8sArgs, 'generate_name' | 'template'>>;

/**
 * The definitions that a task gives inline or by templates; undefined where it gives neither.
 * @throws {TaskError} where one is malformed.
 */
export function readGiven(controller: Controller, args: Given): readonly unknown[] | undefined {
  if (args.resource_definition !== undefined) {
    const texts = [args.resource_definition].flat();
    return texts.flatMap((each) =>
      typeof each === 'string'
        ? parseTexts(controller, { text: each, origin: 'definition' })
        : [each],
    );
  }
  if (args.template === undefined) return undefined;
  const sources = renderTemplates(controller, args.template);
  return sources.flatMap((source) => parseTexts(controller, source));
}

/** The documents of a text. Throws TaskError where it is malformed. */
export function parseTexts(
  controller: Controller,
  { text, origin }: SourceText,
): readonly unknown[] {
  try {
    return controller.parseDocuments(text, origin);
  } catch (error) {
    if (!(error instanceof InvalidInput)) throw error;
    const [problem] = error.problems;
    throw new TaskError(`Failed to load resource definition: ${error.message}`, {
      hint: problem?.hint,
      cause: error,
    });
  }
}

/**
 * One definition for each object: lists taken apart, with kind, version, name and namespace of the task where the
 * definition has none. Without any, the task itself says which object is meant.
 * @throws {TaskError} naming the document that is no object of a cluster.
 */
export function completeDefinitions(
  documents: readonly unknown[] | undefined,
  args: Given,
): readonly Json[] {
  const all = documents ?? [{}];
  return all.flatMap((document, index) => {
    if (document === null || document === undefined) return [];
    const place = all.length === 1 ? 'the definition' : `document ${index + 1}`;
    if (!isJson(document)) {
      throw new TaskError(`Failed to load resource definition: ${place} is no mapping`, {
        hint: 'an object has the members apiVersion, kind and metadata',
      });
    }
    return itemsOf(document, args).map((each) => complete(each, args, place));
  });
}

/** What a List holds, whose items may leave out their kind; else the object itself. */
function itemsOf(definition: Json, { api_version: version }: Given): readonly Json[] {
  const kind = textOf(definition, 'kind') ?? '';
  const { items } = definition;
  if (!kind.endsWith('List') || !Array.isArray(items)) return [definition];
  const inherited = {
    apiVersion: definition['apiVersion'] ?? version,
    ...(kind !== 'List' && { kind: kind.slice(0, -'List'.length) }),
  };
  return items.filter(isJson).map((item) => ({ ...inherited, ...item }));
}

function complete(definition: Json, args: Given, place: string): Json {
  const { kind, api_version: apiVersion, name, namespace, generate_name: generateName } = args;
  if (definition['kind'] === undefined && kind === undefined) {
    throw new TaskError(`${place} has no kind`, {
      hint: 'give the kind in it, or by the argument kind',
    });
  }
  const metadata = {
    ...(namespace && { namespace }),
    ...(name && { name }),
    ...(generateName && { generateName }),
    ...memberOf(definition, 'metadata'),
  };
  return { kind, apiVersion, ...definition, metadata };
}
