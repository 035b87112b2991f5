/**
 * Paths into JSON, the part of GJSON's syntax that leads to a value: `a.b`, `a.0`, `a.#` (how many), `a.#.b` (b of
 * each), `a.#(name=="x").b` (of the first that matches; `)#`: of each), wildcards `*` and `?` in names, `|` as a dot
 * that takes a list as it is, and a backslash before characters that are meant literally.
 */

type Step =
  | { readonly kind: 'member'; readonly pattern: Pattern; readonly index: number | undefined }
  | { readonly kind: 'count' }
  | { readonly kind: 'each'; readonly path: readonly Step[] }
  | {
      readonly kind: 'match';
      readonly matches: (element: unknown) => boolean;
      readonly all: boolean;
    };

export type JsonPath = readonly Step[];

/** @throws {RangeError} that says what is wrong with the path, to be read after its name. */
export function parseJsonPath(text: string): JsonPath {
  return parseSteps(splitPath(text));
}

/** The value at a path, or undefined where there is none. */
export function valueAt(root: unknown, path: JsonPath): unknown {
  return path.reduce(take, root);
}

interface Piece {
  readonly text: string;
  /** What stands before it. */
  readonly separator: '' | '.' | '|';
}

const PIECE = /((?:\\.|#\((?:"(?:\\.|[^"\\])*"|[^()"])*\)#?|#(?!\()|[^.|\\#])*)([.|]|$)/gsy;
const QUERY_STEP = /^#\((.*)\)(#?)$/s;

function splitPath(text: string): readonly Piece[] {
  const pieces: Piece[] = [];
  let separator: Piece['separator'] = '';
  let end = 0;
  for (const [whole, piece = '', next] of text.matchAll(PIECE)) {
    if (end === text.length && next === '' && separator === '' && pieces.length > 0) break;
    pieces.push({ text: piece, separator });
    separator = next as Piece['separator'];
    end += whole.length;
  }
  if (end < text.length) {
    throw new RangeError(`cannot be read from "${text.slice(end)}" on: queries are #(name=="x")`);
  }
  return pieces;
}

function parseSteps(pieces: readonly Piece[]): readonly Step[] {
  const steps: Step[] = [];
  for (const [position, piece] of pieces.entries()) {
    const rest = pieces.slice(position + 1);
    const step = parseStep(piece.text, rest);
    steps.push(step);
    const isEach = step.kind === 'each' || (step.kind === 'match' && step.all);
    if (!isEach) continue;
    // Dots go on within each element; a pipe ends that.
    const end = rest.findIndex(({ separator }) => separator === '|');
    const within = parseSteps(end < 0 ? rest : rest.slice(0, end));
    if (step.kind === 'match') steps.push({ kind: 'each', path: within });
    else steps.splice(-1, 1, { kind: 'each', path: within });
    return end < 0 ? steps : [...steps, ...parseSteps(rest.slice(end))];
  }
  return steps;
}

function parseStep(text: string, rest: readonly Piece[]): Step {
  if (text === '') throw new RangeError('has an empty part: write names between single dots');
  if (/^[@!{[]/.test(text)) {
    throw new RangeError(
      `uses "${text}", and modifiers, literals and several paths at once are not supported: ` +
        'give the path of one value',
    );
  }
  if (text === '#') {
    return rest[0]?.separator === '.' ? { kind: 'each', path: [] } : { kind: 'count' };
  }
  const query = QUERY_STEP.exec(text);
  if (query !== null) {
    return { kind: 'match', matches: parseQuery(query[1] ?? ''), all: query[2] === '#' };
  }
  return {
    kind: 'member',
    pattern: patternOf(text),
    index: /^\d+$/.test(text) ? Number(text) : undefined,
  };
}

const QUERY = /^(.*?)\s*(==|!=|<=|>=|!%|=|<|>|%)\s*(.+)$/s;

/** `name=="x"`, `age>45`, `name%"D*"`; a name alone: it is there. */
function parseQuery(text: string): (element: unknown) => boolean {
  const [, name = text, operator, literal = ''] = QUERY.exec(text) ?? [];
  const path = name.trim() === '' ? [] : parseJsonPath(name.trim());
  if (operator === undefined) return (element) => valueAt(element, path) !== undefined;
  const expected = parseLiteral(literal.trim());
  return (element) => compare(valueAt(element, path), operator, expected);
}

function parseLiteral(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text; // GJSON takes bare words too.
  }
}

function compare(value: unknown, operator: string, expected: unknown): boolean {
  if (value === undefined) return false;
  if (operator === '=' || operator === '==') return value === expected;
  if (operator === '!=') return value !== expected;
  if (operator === '%') return isLike(String(value), patternOf(String(expected)));
  if (operator === '!%') return !isLike(String(value), patternOf(String(expected)));
  if (typeof value !== typeof expected) return false;
  const order = (value as string) < (expected as string) ? -1 : Number(value !== expected);
  return { '<': order < 0, '<=': order <= 0, '>': order > 0, '>=': order >= 0 }[operator] ?? false;
}

type Pattern = readonly (string | typeof ANY_TEXT | typeof ANY_CHARACTER)[];
const ANY_TEXT = Symbol('*');
const ANY_CHARACTER = Symbol('?');

function patternOf(text: string): Pattern {
  return (text.match(/\\.|./gsu) ?? []).map((part) => {
    if (part === '*') return ANY_TEXT;
    if (part === '?') return ANY_CHARACTER;
    return part.length > 1 && part.startsWith('\\') ? part.slice(1) : part;
  });
}

/** Without regular expressions, whose time could explode: paths come from anybody who may write a manifest. */
function isLike(text: string, pattern: Pattern): boolean {
  const characters = [...text];
  let [at, position, star, resume] = [0, 0, -1, 0];
  while (at < characters.length) {
    const wanted = pattern[position];
    if (wanted === ANY_TEXT) {
      [star, resume] = [position, at];
      position++;
    } else if (wanted === ANY_CHARACTER || wanted === characters[at]) {
      at++;
      position++;
    } else if (star >= 0) {
      resume++;
      [at, position] = [resume, star + 1];
    } else return false;
  }
  return pattern.slice(position).every((part) => part === ANY_TEXT);
}

function take(value: unknown, step: Step): unknown {
  if (step.kind === 'member') return memberOf(value, step.pattern, step.index);
  if (!Array.isArray(value)) return undefined;
  if (step.kind === 'count') return value.length;
  if (step.kind === 'match') {
    return step.all ? value.filter(step.matches) : value.find(step.matches);
  }
  return value.map((element) => valueAt(element, step.path)).filter((found) => found !== undefined);
}

function memberOf(value: unknown, pattern: Pattern, index: number | undefined): unknown {
  if (Array.isArray(value)) return index === undefined ? undefined : value[index];
  if (typeof value !== 'object' || value === null) return undefined;
  return Object.entries(value).find(([name]) => isLike(name, pattern))?.[1];
}
