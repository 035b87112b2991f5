/** Makes formulas for comparisons with expr: grammatical ones, most of which have a value. */

type Random = () => number;
type Kind = 'number' | 'integer' | 'boolean' | 'text' | 'list' | 'map';
type Form = (part: (kind: Kind) => string, random: Random) => string;

const DEPTH = 3;

const LEAVES: Readonly<Record<Kind, readonly string[]>> = {
  number: ['a', 'b', 'c', '2.5', '$env.b', '$env["a"]', '1e2', '.5'],
  integer: ['0', '1', '2', '3', '7', '0x1F', '1_000', 'len("añb")'],
  boolean: ['true', 'false', 'a > b', 'c < 0', '"x" in {"x": 1}', 'b in [4, 5]'],
  text: ['"abc"', "'x-y'", '`raw\\n`', '"a,b,c"', '"[1, 2, 3]"', '"añb"'],
  list: ['[a, b, c]', '[1, 2, 3]', '1..5', '[a, b,]', '[3.5, -1, 2]'],
  map: ['{"x": a, "y": 2}', '{x: 1}', '{"x": c, "z": {"y": b}}', 'fromJSON("{\\"x\\": 7}")'],
};

const FORMS: Readonly<Record<Kind, readonly Form[]>> = {
  number: [
    (part, random) => `${part('number')} ${pick(['+', '-', '*', '/'], random)} ${part('number')}`,
    (part) => `(${part('number')} - ${part('integer')})`,
    (part) => `${part('boolean')} ? ${part('number')} : ${part('number')}`,
    (part) => `if ${part('boolean')} { ${part('number')} } else { ${part('integer')} }`,
    (part) => `(let v = ${part('number')}; v * v + ${part('number')})`,
    (part, random) => `${pick(['max', 'min', 'mean', 'median', 'sum'], random)}(${part('list')})`,
    (part, random) => `${pick(['abs', 'ceil', 'floor', 'round'], random)}(${part('number')})`,
    (part) => `reduce(${part('list')}, #acc + # * ${part('integer')}, ${part('number')})`,
    (part) => `sum(map(${part('list')}, # + #index))`,
    (part) => `sum(filter(${part('list')}, {# > ${part('number')}}))`,
    (part) => `${part('map')}.x`,
    (part) => `(${part('map')}?.q ?? ${part('number')})`,
    (part) => `(get(${part('list')}, ${part('integer')}) ?? ${part('number')})`,
    (part) => `(${part('number')}; ${part('number')})`,
    (part) => `duration("1h").Minutes() + ${part('number')}`,
    (part) => `max(${part('number')}, ${part('number')},)`,
    (part) => `sum(values({"p": ${part('number')}, "q": ${part('number')}}))`,
    (part) => `-(${part('number')}) ** 2`,
    (part) => `float(${part('number')})`,
    (part) => `${part('list')}[0] + float(last(${part('list')}))`,
  ],
  integer: [
    (part, random) => `${part('integer')} ${pick(['+', '-', '*'], random)} ${part('integer')}`,
    (part) => `((${part('integer')}) % 3)`,
    (part) => `len(${part('list')})`,
    (part) => `len(${part('text')})`,
    (part) => `count(${part('list')}, # > ${part('number')})`,
    (part) => `int(${part('number')})`,
    (part) => `indexOf(${part('text')}, "b")`,
    (part) => `len(split(${part('text')}, ","))`,
    (part) => `len(repeat(${part('text')}, 2))`,
    (part) => `bitand(${part('integer')}, 5)`,
  ],
  boolean: [
    (part, random) =>
      `${part('number')} ${pick(['<', '>', '<=', '>=', '==', '!='], random)} ${part('number')}`,
    (part) => `${part('integer')} < ${part('number')} <= ${part('number')}`,
    (part, random) =>
      `${part('boolean')} ${pick(['and', 'or', '&&', '||'], random)} ${part('boolean')}`,
    (part) => `not (${part('boolean')})`,
    (part, random) =>
      `${part('text')} ${pick(['contains', 'startsWith', 'endsWith'], random)} ${part('text')}`,
    (part, random) =>
      `${part('text')} matches "${pick(['^a', 'b+', '[x-z]', '\\\\d', 'c$'], random)}"`,
    (part, random) =>
      `${pick(['all', 'any', 'none', 'one'], random)}(${part('list')}, # > ${part('number')})`,
    (part) => `${part('number')} in ${part('list')}`,
    (part, random) => `type(${part('text')}) == "${pick(['string', 'int'], random)}"`,
    (part, random) => `hasPrefix(${part('text')}, "${pick(['a', 'x'], random)}")`,
  ],
  text: [
    (part) => `${part('text')} + ${part('text')}`,
    (part, random) => `${pick(['upper', 'lower', 'trim'], random)}(${part('text')})`,
    (part) => `replace(${part('text')}, "b", "--")`,
    (part) => `${part('text')}[1:]`,
    (part) => `join(split(${part('text')}, "b"), ".")`,
    (part) => `(${part('boolean')} ? ${part('text')} : ${part('text')})`,
    (part) => `string(${part('integer')})`,
  ],
  list: [
    (part) => `concat(${part('list')}, ${part('list')})`,
    (part) => `flatten([${part('list')}, [${part('number')}, ${part('list')}]])`,
    (part) => `map(${part('list')}, # * ${part('number')})`,
    (part) => `${part('list')}[:2]`,
    (part) => `${part('list')}[-2:]`,
    (part) => `sort(${part('list')}, "desc")`,
    (part) => `reverse(${part('list')})`,
    (part) => `take(${part('list')}, 2)`,
    (part) => `[${part('number')}, ${part('number')}]`,
    (part) => `(${part('list')} | filter(# != ${part('integer')}))`,
    (part) => `sortBy(${part('list')}, -#)`,
  ],
  map: [
    (part) => `{"x": ${part('number')}, ("y" + "z"): ${part('integer')}}`,
    (part) => `{"x": ${part('map')}.x,}`,
    (part) => `fromPairs([["x", ${part('number')}]])`,
    (part) => `groupBy(${part('list')}, # > 2 ? "x" : "y")`,
  ],
};

/** A formula over a, b and c. */
export function makeFormula(random: Random): string {
  return make('number', DEPTH, random, true);
}

function make(kind: Kind, depth: number, random: Random, isWhole = false): string {
  if (!isWhole && (depth === 0 || random() < 0.25)) return pick(LEAVES[kind], random);
  const form = pick(FORMS[kind], random);
  return form((part) => make(part, depth - 1, random), random);
}

function pick<T>(choices: readonly T[], random: Random): T {
  return choices[Math.floor(random() * choices.length)] as T; // Within the list.
}
