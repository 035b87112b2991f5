/** Leaves members out of objects, by paths such as `spec.containers[0].env` or `metadata.annotations[a.b/c]`. */
import { isJson } from './json.ts';

/** What is below a member; null: the member itself goes. */
interface Tree {
  [key: string]: Tree | null;
}

/** A copy without the members that the paths name. What becomes empty by it goes too. */
export function hideFields(value: unknown, paths: readonly string[] = []): unknown {
  if (paths.length === 0) return value;
  const tree: Tree = {};
  for (const path of paths) plant(tree, keysOf(path));
  return hidden(value, tree);
}

/** The keys of a path: between dots, or in brackets, where dots are part of the key. */
function keysOf(path: string): readonly string[] {
  return [...path.matchAll(/\[([^\]]*)\]|([^.[\]]+)/g)].map(
    ([, bracketed, plain]) => bracketed ?? plain ?? '',
  );
}

function plant(tree: Tree, [key, ...rest]: readonly string[]): void {
  if (key === undefined || tree[key] === null) return;
  if (rest.length === 0) {
    tree[key] = null;
    return;
  }
  const below = tree[key] ?? {};
  tree[key] = below;
  plant(below, rest);
}

function hidden(value: unknown, tree: Tree): unknown {
  if (Array.isArray(value)) {
    return value.flatMap((item, index) => kept(item, tree[String(index)]));
  }
  if (!isJson(value)) return value;
  const members = Object.entries(value).flatMap(([name, member]) =>
    kept(member, Object.hasOwn(tree, name) ? tree[name] : undefined).map((each) => [name, each]),
  );
  return Object.fromEntries(members);
}

/** The value as it stays, in a list of one; none where it goes. */
function kept(value: unknown, tree: Tree | null | undefined): unknown[] {
  if (tree === null) return [];
  if (tree === undefined) return [value];
  const rest = hidden(value, tree);
  const isEmpty = typeof rest === 'object' && rest !== null && Object.keys(rest).length === 0;
  return isEmpty ? [] : [rest];
}
