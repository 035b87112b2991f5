/** Reads manifests as `kubectl apply -f` does: several documents, lists, and where each value is written. */
import {
  type Document,
  isMap,
  isScalar,
  isSeq,
  LineCounter,
  type Node,
  type Pair,
  parseAllDocuments,
  type Scalar,
} from 'yaml';
import type { Place, Problem } from '../../shared/errors.ts';

export type Path = readonly (string | number)[];

/** One object of a file. */
export interface Manifest {
  readonly value: Readonly<Record<string, unknown>>;
  /** Where the value at a path is written, or its key, or else what is nearest around it. */
  placeOf(path: Path, part?: 'value' | 'key'): Place;
  /** Where a character of the text at a path is written. */
  placeIn(path: Path, offset: number): Place;
}

export interface ManifestFile {
  readonly manifests: readonly Manifest[];
  /** What is wrong with the YAML itself. */
  readonly problems: readonly Problem[];
}

interface Source {
  readonly file: string;
  readonly text: string;
  readonly lines: LineCounter;
}

/** kubectl reads YAML 1.1, but takes neither dates nor binaries out of it. */
const TEXTS_ONLY = new Set(['tag:yaml.org,2002:timestamp', 'tag:yaml.org,2002:binary']);

/** The objects in a text of YAML or JSON; empty documents count for nothing. */
export function readManifests(text: string, file: string): ManifestFile {
  const lines = new LineCounter();
  const source = { file, text, lines };
  const documents = parseAllDocuments(text, {
    version: '1.1',
    lineCounter: lines,
    prettyErrors: false,
    customTags: (tags) =>
      tags.filter((tag) => typeof tag === 'string' || !TEXTS_ONLY.has(tag.tag ?? '')),
  });
  if (!Array.isArray(documents)) return { manifests: [], problems: [] };
  const problems = documents.flatMap(({ errors }) =>
    errors.slice(0, 1).map(({ message, pos }) => ({
      place: placeAt(source, pos[0]),
      message: `YAML syntax: ${message}`,
    })),
  );
  const results = documents
    .filter(({ errors }) => errors.length === 0)
    .map((document) => readDocument(document, source));
  return {
    manifests: results.flatMap(({ manifests }) => manifests),
    problems: [...problems, ...results.flatMap((result) => result.problems)],
  };
}

function readDocument(document: Document.Parsed, source: Source): ManifestFile {
  const value: unknown = withoutNulls(document.toJS({ maxAliasCount: 100 }));
  if (value === undefined) return { manifests: [], problems: [] };
  const problem = (offset: number) => ({
    place: placeAt(source, offset),
    message: 'a manifest is a mapping with apiVersion, kind and metadata',
  });
  const start = document.contents?.range[0] ?? 0;
  if (!isRecord(value)) return { manifests: [], problems: [problem(start)] };
  if (value['kind'] !== 'List' || !Array.isArray(value['items'])) {
    return { manifests: [manifestOf(value, [], document, source)], problems: [] };
  }
  const items = value['items'] as readonly unknown[];
  return {
    manifests: items.flatMap((item, index) =>
      isRecord(item) ? [manifestOf(item, ['items', index], document, source)] : [],
    ),
    problems: items.every(isRecord) ? [] : [problem(start)],
  };
}

function manifestOf(
  value: Manifest['value'],
  base: Path,
  document: Document.Parsed,
  source: Source,
): Manifest {
  const find = (path: Path) => nodeAt(document, [...base, ...path]);
  return {
    value,
    placeOf: (path, part = 'value') => placeAt(source, offsetOf(find(path), part)),
    placeIn: (path, offset) => placeAt(source, characterOf(find(path), offset, source)),
  };
}

type Found = Node | Pair<Node, Node | null> | null;

/** The node at a path, or the last that is there; an entry of a mapping is its key and its value. */
function nodeAt(document: Document.Parsed, path: Path): Found {
  let node: Node | null = document.contents;
  let found: Found = node;
  for (const key of path) {
    const next = entryOf(node, key);
    if (next === undefined) return found;
    found = next;
    node = 'key' in next ? (next.value as Node | null) : (next as Node);
  }
  return found;
}

function entryOf(node: Node | null, key: string | number): Exclude<Found, null> | undefined {
  if (isSeq(node)) return (node.items as Node[])[Number(key)];
  if (!isMap(node)) return undefined;
  const pairs = node.items as Pair<Node, Node | null>[];
  return pairs.find((pair) => isScalar(pair.key) && String(pair.key.value) === String(key));
}

/** A scalar is found by itself, a collection by the key that it belongs to. */
function offsetOf(found: Found, part: 'value' | 'key' = 'value'): number {
  if (found === null || !('key' in found)) return found?.range?.[0] ?? 0;
  const node = part === 'key' ? found.key : scalarOrKey(found);
  return node.range?.[0] ?? 0;
}

function scalarOrKey({ key, value }: Pair<Node, Node | null>): Node {
  return isScalar(value) && value.range !== undefined && value.range?.[0] !== value.range?.[1]
    ? value
    : key;
}

function characterOf(found: Found, offset: number, { text }: Source): number {
  const node = found !== null && 'key' in found ? found.value : found;
  if (!isScalar(node) || typeof node.value !== 'string') return offsetOf(found);
  const [start, end] = node.range ?? [0, 0];
  const written = text.slice(start, end);
  if (node.type === 'BLOCK_LITERAL')
    return start + inBlock(written, node as Scalar<string>, offset);
  const content = start + Number(node.type?.startsWith('QUOTE') === true);
  const isVerbatim = text.startsWith(node.value, content);
  return isVerbatim ? content + offset : start;
}

/** The place in a block as it is written, of a character of its text. */
function inBlock(written: string, { value }: Scalar<string>, offset: number): number {
  const before = value.slice(0, offset).split('\n');
  const rows = written.split('\n');
  const first = rows.slice(1).find((row) => row.trim() !== '') ?? '';
  const indent = first.length - first.trimStart().length;
  const skipped = rows.slice(0, before.length).reduce((sum, row) => sum + row.length + 1, 0);
  return skipped + indent + (before.at(-1) ?? '').length;
}

function placeAt({ file, lines }: Source, offset: number): Place {
  const { line, col } = lines.linePos(offset);
  return { file, line: Math.max(1, line), column: Math.max(1, col) };
}

/** The API server takes a member that is null for one that is not there. */
function withoutNulls(value: unknown): unknown {
  if (value === null || value === undefined) return undefined;
  if (Array.isArray(value)) return value.map(withoutNulls);
  if (!isRecord(value)) return value;
  return Object.fromEntries(
    Object.entries(value)
      .filter(([, member]) => member !== null)
      .map(([key, member]) => [key, withoutNulls(member)]),
  );
}

export function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
