/** The text format in which programs expose metrics to Prometheus. */

export interface Selector {
  readonly name: string;
  readonly labels: Readonly<Record<string, string>>;
}

const NAME = '[a-zA-Z_:][a-zA-Z0-9_:]*';
const LABEL = /^\s*([a-zA-Z_][a-zA-Z0-9_]*)\s*(=~|!=|!~|=)\s*"((?:[^"\\]|\\.)*)"\s*(?:,|$)/s;
const SERIES = new RegExp(String.raw`^(${NAME})?\s*(?:\{((?:[^"}]|"(?:[^"\\]|\\.)*")*)\})?`);

/** `name{label="value",…}`. @throws {RangeError} that says what is wrong, to be read after the name of the selector. */
export function parseSelector(text: string): Selector {
  const match = SERIES.exec(text);
  if (match === null || match[0].length < text.trimEnd().length) {
    throw new RangeError('must be a metric, such as requests{path="/"}');
  }
  const { __name__: inner, ...labels } = parseLabels(match[2] ?? '');
  const name = match[1] ?? inner;
  if (name === undefined) throw new RangeError('must name a metric, such as requests{path="/"}');
  return { name, labels };
}

/** The value of the first counter, gauge or untyped series that a selector matches; undefined where there is none. */
export function findSample(exposition: string, selector: Selector): number | undefined {
  const lines = exposition.split('\n').map((line) => line.trim());
  for (const line of lines) {
    if (!line.startsWith(selector.name)) continue;
    const sample = parseSample(line);
    if (matches(sample, selector)) return sample.value;
  }
  const type = lines.map((line) => TYPE.exec(line)).find((match) => match?.[1] === selector.name);
  if (type?.[2] === 'histogram' || type?.[2] === 'summary') {
    throw new RangeError(`has ${selector.name} as a ${type[2]}: choose a counter or gauge`);
  }
  return undefined;
}

const TYPE = /^#\s*TYPE\s+(\S+)\s+(\S+)/;

interface Sample extends Selector {
  readonly value: number;
}

/** @throws {RangeError} where the line is none of the format. */
function parseSample(line: string): Sample {
  const match = SERIES.exec(line);
  const [, text] = /^\s+(\S+)/.exec(line.slice(match?.[0].trimEnd().length)) ?? [];
  const name = match?.[1];
  if (name === undefined || text === undefined) {
    throw new RangeError(`has a line that is no metric: "${line.slice(0, 60)}"`);
  }
  return { name, labels: parseLabels(match?.[2] ?? ''), value: parseValue(text) };
}

function parseValue(text: string): number {
  const [, sign, infinite] = /^([+-]?)(inf(?:inity)?)$/i.exec(text) ?? [];
  if (infinite !== undefined) return sign === '-' ? -Infinity : Infinity;
  return Number(text);
}

function parseLabels(text: string): Readonly<Record<string, string>> {
  const labels: Record<string, string> = {};
  let rest = text.trim();
  while (rest !== '') {
    const [whole, name, operator, value] = LABEL.exec(rest) ?? [];
    if (whole === undefined || name === undefined || value === undefined) {
      throw new RangeError(`has labels that cannot be read: "${rest.slice(0, 60)}"`);
    }
    if (operator !== '=') throw new RangeError(`has ${name}${operator}: only = is supported`);
    labels[name] = value.replace(/\\(.)/g, (_, escaped) => (escaped === 'n' ? '\n' : escaped));
    rest = rest.slice(whole.length).trim();
  }
  return labels;
}

function matches(sample: Sample, { name, labels }: Selector): boolean {
  return (
    sample.name === name &&
    Object.entries(labels).every(([label, value]) => sample.labels[label] === value)
  );
}
