/** Deeper documents are refused before anything recursive reads them: a host's output must not end the process. */
const MAX_DEPTH = 200;

/** A token of the parser, as far as its nesting is concerned. */
interface Nested {
  readonly value?: unknown;
  readonly items?: readonly { readonly key?: unknown; readonly value?: unknown }[];
}

/** Whether the tokens of a document nest deeper than can be read safely. */
export function isTooDeep(root: unknown): boolean {
  const open: [token: unknown, depth: number][] = [[root, 0]];
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    const [token, depth] = next;
    if (!isNested(token)) continue;
    if (depth > MAX_DEPTH) return true;
    for (const child of childrenOf(token)) open.push([child, depth + 1]);
  }
  return false;
}

function childrenOf({ value, items = [] }: Nested): unknown[] {
  return [value, ...items.flatMap((item) => [item.key, item.value])];
}

function isNested(token: unknown): token is Nested {
  return typeof token === 'object' && token !== null;
}
