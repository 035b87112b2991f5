import {
  type Alias,
  Composer,
  type Document,
  isAlias,
  isMap,
  isScalar,
  Lexer,
  LineCounter,
  type Pair,
  Parser,
  type Scalar,
  type YAMLMap,
  type YAMLSeq,
} from 'yaml';
import { InvalidInput, type Place, type Problem } from '../shared/errors.ts';
import { ownText } from './own-text.ts';
import { blockText, contentOf } from './text-position.ts';
import {
  hasTemplate,
  type Position,
  type TextPosition,
  TrustedTemplate,
  type Value,
  VaultText,
} from './values.ts';
import { Anchors } from './yaml-anchors.ts';
import { isTooDeep } from './yaml-depth.ts';
import { leniently } from './yaml-lexer.ts';
import { nothingAt, toValue, type YamlEntry, type YamlNode } from './yaml-node.ts';
import { forbiddenCharacters, syntaxProblems, unquotedTemplate } from './yaml-problem.ts';
import { atOpeningQuotes } from './yaml-quotes.ts';
import { isJson, MalformedScalar, parseJsonScalar, parsePlainScalar } from './yaml-scalar.ts';
import { parseTaggedCollection, parseTaggedScalar, refuseVault, STR_TAG } from './yaml-tag.ts';

export interface YamlOptions {
  /** How messages name the text. */
  readonly file: string;
  /** Whether the text is the user's own, so that strings with `{{`, `{%` or `{#` become templates. */
  readonly trusted: boolean;
  /** Opens an inline `!vault` scalar. Without it, using one throws InvalidInput. */
  readonly decrypt?: ((vault: VaultText) => string) | undefined;
  /** What a key written twice is; `warn` unless given. The last one counts. */
  readonly duplicateKeys?: 'warn' | 'error' | 'ignore' | undefined;
}

export interface YamlDocument {
  readonly root: YamlNode;
  readonly warnings: readonly Problem[];
}

const PARSER = {
  version: '1.1',
  schema: 'failsafe',
  uniqueKeys: false,
  prettyErrors: false,
} as const;

/**
 * Parses one YAML 1.1 document as PyYAML does, or JSON. Throws InvalidInput with every problem and its
 * place; a second document in the text is one.
 */
export function parseYaml(text: string, options: YamlOptions): YamlDocument {
  const context = { ...options, lines: new LineCounter(), json: isJson(text) };
  const [document, second] = readDocuments(text, context);
  if (document === undefined) return { root: nothingAt(context.file), warnings: [] };
  if (second === undefined) return build(text, document, context);
  const [start, end] = second.range;
  const fault = { code: 'MULTIPLE_DOCS', message: '', pos: [start, end] } as const;
  throw new InvalidInput(syntaxProblems(text, [fault], (offset) => positionIn(context, offset)));
}

/** Parses one YAML document as data: nothing in it is ever rendered. Throws InvalidInput. */
export function parseYamlData(text: string, file = '<data>'): Value {
  const [value = null, ...more] = parseAllYamlData(text, file);
  if (more.length === 0) return value;
  throw InvalidInput.at({ file, line: 1, column: 1 }, 'the text holds more than one YAML document');
}

/** Parses every YAML document of a text as data. Throws InvalidInput. */
export function parseAllYamlData(text: string, file = '<data>'): Value[] {
  const context = { file, trusted: false, lines: new LineCounter(), json: false };
  const documents = readDocuments(text, context);
  return documents.map((document) => toValue(build(text, document, context).root));
}

interface Context extends YamlOptions {
  readonly lines: LineCounter;
  readonly json: boolean;
}

/** What the parser does not accept may be fine for PyYAML; where it is not, the parser says better what is wrong. */
function readDocuments(text: string, context: Context): Document.Parsed[] {
  const documents = documentsIn(text, context, new Lexer());
  if (documents.every(({ errors }) => errors.length === 0)) return documents;
  const lenient = documentsIn(
    text,
    { ...context, lines: new LineCounter() },
    leniently(new Lexer()),
  );
  return lenient.every(({ errors }) => errors.length === 0) ? lenient : documents;
}

function documentsIn(text: string, context: Context, lexer: Lexer): Document.Parsed[] {
  const parser = new Parser(context.lines.addNewLine);
  context.lines.addNewLine(0);
  const tokens = [...lexer.lex(text)].flatMap((lexeme) => [...parser.next(lexeme)]);
  tokens.push(...parser.end());
  const deep = tokens.find(isTooDeep);
  if (deep === undefined) return [...new Composer(PARSER).compose(tokens, false, text.length)];
  const offset = 'offset' in deep ? deep.offset : 0;
  throw InvalidInput.at(positionIn(context, offset), 'the document is nested too deeply');
}

function build(text: string, document: Document.Parsed, context: Context): YamlDocument {
  const builder = new Builder(text, context);
  const placeAt = (offset: number) => positionIn(context, offset);
  const faults = atOpeningQuotes(document);
  const problems = [
    ...forbiddenCharacters(text, placeAt),
    ...syntaxProblems(text, faults, placeAt),
  ];
  if (problems.length > 0) throw new InvalidInput(problems);
  const root = builder.node(document.contents as AstNode, false); // The parser makes these nodes only.
  if (builder.problems.length > 0) throw new InvalidInput(builder.problems);
  return { root, warnings: builder.warnings };
}

function positionIn({ file, lines }: Context, offset: number): Position {
  const { line, col } = lines.linePos(offset);
  return { file, line: Math.max(line, 1), column: Math.max(col, 1) };
}

type AstNode = Scalar | YAMLMap | YAMLSeq | Alias | null;

/** Turns the parser's nodes into ours; collects what is wrong instead of stopping at the first. */
class Builder {
  readonly problems: Problem[] = [];
  readonly warnings: Problem[] = [];
  readonly #text: string;
  readonly #context: Context;
  readonly #anchors = new Anchors();

  constructor(text: string, context: Context) {
    this.#text = text;
    this.#context = context;
  }

  node(ast: AstNode, unsafe: boolean): YamlNode {
    if (ast === null) return nothingAt(this.#context.file);
    if (isAlias(ast)) return this.#alias(ast);
    if (ast.anchor !== undefined) this.#anchors.open(ast.anchor);
    const node = this.#content(ast, unsafe || ast.tag === '!unsafe');
    if (ast.anchor !== undefined) this.#anchors.close(ast.anchor, node);
    return node;
  }

  #content(ast: Scalar | YAMLMap | YAMLSeq, unsafe: boolean): YamlNode {
    if (isScalar(ast)) return this.#scalar(ast, unsafe);
    const node = isMap(ast) ? this.#map(ast, unsafe) : this.#list(ast, unsafe);
    if (ast.tag === undefined || ast.tag === '!unsafe') return node;
    const { tag } = ast;
    return this.#attempt(node.position, node, () => parseTaggedCollection(tag, node));
  }

  #alias(ast: Alias): YamlNode {
    const target = this.#anchors.resolve(ast.source);
    if (typeof target !== 'string') return target;
    const position = this.#start(ast);
    return this.#refuse(position, target, { kind: 'scalar', value: null, position });
  }

  #list(ast: YAMLSeq, unsafe: boolean): YamlNode {
    const items = ast.items.map((item) => this.node(item as AstNode, unsafe)); // The parser makes nodes only.
    return { kind: 'list', items, position: this.#start(ast) };
  }

  #map(ast: YAMLMap, unsafe: boolean): YamlNode {
    const merged: YamlEntry[] = [];
    const own = new Map<Value, YamlEntry>();
    for (const pair of ast.items as Pair<AstNode, AstNode>[]) {
      if (isMergeKey(pair.key)) merged.push(...this.#merged(pair.value));
      else this.#addEntry(own, this.#entry(ast, pair, unsafe));
    }
    const entries = new Map([...merged, ...own.values()].map((entry) => [entry.key, entry]));
    return { kind: 'map', entries: [...entries.values()], position: this.#start(ast) };
  }

  #addEntry(entries: Map<Value, YamlEntry>, entry: YamlEntry): void {
    const { duplicateKeys = 'warn' } = this.#context;
    const earlier = entries.get(entry.key);
    entries.set(entry.key, entry);
    if (earlier === undefined || duplicateKeys === 'ignore') return;
    const message = `the key "${String(entry.key)}" is written twice, first on line ${earlier.keyPosition.line}`;
    const problem = { place: entry.keyPosition, message, hint: 'the last one counts; remove one' };
    (duplicateKeys === 'error' ? this.problems : this.warnings).push(problem);
  }

  #entry(map: YAMLMap, pair: Pair<AstNode, AstNode>, unsafe: boolean): YamlEntry {
    const keyPosition = pair.key === null ? this.#start(map) : this.#start(pair.key);
    const keyNode = this.#key(pair.key);
    let key: Value = null;
    if (keyNode.kind === 'scalar') key = keyNode.value;
    else this.#refuseKey(keyPosition, map);
    const node =
      pair.value === null
        ? ({ kind: 'scalar', value: null, position: keyPosition } as const)
        : this.node(pair.value, unsafe);
    return { key, keyPosition, node };
  }

  /** As a key, a bare `=` is text. */
  #key(ast: AstNode): YamlNode {
    if (!isScalar(ast) || ast.value !== '=') return this.node(ast, true);
    return { kind: 'scalar', value: '=', position: this.#start(ast) };
  }

  #refuseKey(keyPosition: Position, map: YAMLMap): void {
    const start = map.range?.[0] ?? 0;
    if (this.#text.startsWith('{{', start)) this.problems.push(unquotedTemplate(this.#start(map)));
    else this.#refuse(keyPosition, 'a list or a mapping cannot be a key', undefined);
  }

  /** The entries that a merge key brings in; of a list of mappings, the first has the last word. */
  #merged(value: AstNode): readonly YamlEntry[] {
    const source = this.node(value, false);
    const maps = source.kind === 'list' ? [...source.items].reverse() : [source];
    return maps.flatMap((map) => {
      if (map.kind === 'map') return map.entries;
      return this.#refuse(map.position, 'a merge key takes a mapping or a list of mappings', []);
    });
  }

  #scalar(ast: Scalar, unsafe: boolean): YamlNode {
    const position = this.#start(ast);
    const value = this.#attempt(position, null, () => this.#scalarValue(ast, unsafe));
    if (typeof value !== 'string') return { kind: 'scalar', value, position };
    const content = this.#contentPosition(ast, value);
    const isSame = content.written === undefined && content.column === position.column;
    return { kind: 'scalar', value, position, ...(!isSame && { content }) };
  }

  #scalarValue(ast: Scalar, unsafe: boolean): Value {
    const text = blockText(this.#text, ast, String(ast.value ?? ''));
    const { tag = '' } = ast;
    if (tag === '!vault' || tag === '!vault-encrypted') return this.#vault(ast, text);
    if (tag === STR_TAG) return this.#string(ast, text, unsafe);
    if (tag !== '' && tag !== '!' && tag !== '!unsafe') return parseTaggedScalar(tag, text);
    if (ast.type !== 'PLAIN' || tag === '!unsafe' || (tag === '!' && text === ''))
      return this.#string(ast, text, unsafe);
    if (text.startsWith('%')) throw new MalformedScalar('a plain value cannot start with %');
    const value = this.#context.json ? parseJsonScalar(text) : parsePlainScalar(text);
    return typeof value === 'string' ? this.#string(ast, value, unsafe) : value;
  }

  #string(ast: Scalar, text: string, unsafe: boolean): Value {
    if (unsafe || !this.#context.trusted) return text;
    if (!hasTemplate(text)) return ownText(text);
    return new TrustedTemplate(text, this.#contentPosition(ast, text));
  }

  #vault(ast: Scalar, text: string): VaultText {
    const { decrypt = refuseVault } = this.#context;
    return new VaultText(text, this.#start(ast), decrypt);
  }

  #contentPosition(ast: Scalar, text: string): TextPosition {
    const { offset, written } = contentOf(this.#text, ast, text);
    return { ...positionIn(this.#context, offset), ...(written !== undefined && { written }) };
  }

  #start(ast: Scalar | YAMLMap | YAMLSeq | Alias): Position {
    return positionIn(this.#context, ast.range?.[0] ?? 0);
  }

  #attempt<Result>(place: Place, otherwise: Result, action: () => Result): Result {
    try {
      return action();
    } catch (error) {
      if (!(error instanceof MalformedScalar)) throw error;
      this.problems.push({ place, message: error.message, hint: error.hint });
      return otherwise;
    }
  }

  #refuse<Result>(place: Place, message: string, otherwise: Result): Result {
    this.problems.push({ place, message });
    return otherwise;
  }
}

function isMergeKey(key: AstNode): boolean {
  if (!isScalar(key)) return false;
  return (
    key.tag === 'tag:yaml.org,2002:merge' ||
    (key.type === 'PLAIN' && !key.tag && key.value === '<<')
  );
}
