import { TemplateError } from './errors.ts';
import { formatValue } from './format-spec.ts';
import { isFloat, isInt, isNumber, makeInt, toNumber } from './numbers.ts';
import { isMap, isText, type Runtime, Tuple, typeName, Undefined, type Val } from './objects.ts';
import { reprOf, textOf } from './text.ts';

const DIRECTIVE =
  /%(?:\((?<key>[^)]*)\))?(?<flags>[-#0 +]*)(?<width>\*|\d+)?(?:\.(?<precision>\*|\d+)?)?[hlL]?(?<type>[\s\S]?)/g;

/** Python's `template % values`. Throws TemplateError where template and values do not fit. */
export function percentFormat(template: string, values: Val, runtime: Runtime): string {
  const source = new ArgumentSource(values);
  const text = template.replace(DIRECTIVE, (...match) => {
    // The last argument of a replacer is the object of named groups.
    const groups = match.at(-1) as Readonly<Record<string, string | undefined>>;
    return formatDirective(groups, source, String(match[0]));
  });
  runtime.checkSize(text.length);
  source.finish();
  return text;
}

/** Hands out the values one after the other, or by name from a dict. */
class ArgumentSource {
  readonly #values: Val;
  readonly #list: readonly Val[];
  #index = 0;
  #named = false;

  constructor(values: Val) {
    this.#values = values;
    this.#list = values instanceof Tuple ? values : [values];
  }

  next(): Val {
    const value = this.#list[this.#index];
    if (value === undefined) throw new TemplateError('not enough arguments for format string');
    this.#index += 1;
    return value;
  }

  named(key: string): Val {
    this.#named = true;
    if (!isMap(this.#values)) throw new TemplateError('format requires a mapping');
    const value = this.#values.get(key);
    if (value === undefined)
      throw new TemplateError(`'${key}' is not a key of the values to format`);
    return value;
  }

  finish(): void {
    if (this.#named || isMap(this.#values) || this.#index >= this.#list.length) return;
    throw new TemplateError('not all arguments converted during string formatting');
  }
}

function formatDirective(
  groups: Readonly<Record<string, string | undefined>>,
  source: ArgumentSource,
  directive: string,
): string {
  const type = groups['type'] ?? '';
  if (type === '%') return '%';
  const flags = groups['flags'] ?? '';
  const width = groups['width'] === '*' ? textOf(source.next()) : (groups['width'] ?? '');
  const given = groups['precision'] ?? (/\.[hlL]?.?$/s.test(directive) ? '0' : undefined);
  const precision = given === '*' ? textOf(source.next()) : given;
  const value = groups['key'] === undefined ? source.next() : source.named(groups['key']);
  if (value instanceof Undefined) value.fail();
  return converted({ type, flags, width, precision }, value);
}

interface Directive {
  readonly type: string;
  readonly flags: string;
  readonly width: string;
  readonly precision: string | undefined;
}

function converted(directive: Directive, value: Val): string {
  const { type } = directive;
  if (type === 's') return textual(directive, textOf(value));
  if (type === 'r' || type === 'a') return textual(directive, reprOf(value));
  if (type === 'c') return textual(directive, character(value));
  if ('diuxXo'.includes(type) && type !== '') return integral(directive, value);
  if ('eEfFgG'.includes(type) && type !== '') return fractional(directive, value);
  throw new TemplateError(`unsupported format character ${JSON.stringify(type)}`);
}

function character(value: Val): string {
  if (isText(value)) return textOf(value);
  if (!isInt(value)) throw new TemplateError('%c requires an int or a character');
  return String.fromCodePoint(Number(value));
}

function textual({ flags, width, precision }: Directive, text: string): string {
  const align = flags.includes('-') ? '<' : '>';
  const cut = precision === undefined ? '' : `.${precision}`;
  return formatValue(text, `${align}${width}${cut}`);
}

function numericSpec({ flags, width, precision }: Directive, type: string): string {
  const sign = /[+ ]/.exec(flags)?.[0] ?? '';
  const left = flags.includes('-');
  const zero = flags.includes('0') && !left ? '0' : '';
  const cut = precision === undefined ? '' : `.${precision}`;
  return `${left ? '<' : ''}${sign}${flags.includes('#') ? '#' : ''}${zero}${width}${cut}${type}`;
}

function integral(directive: Directive, value: Val): string {
  const { type, precision } = directive;
  const radixed = 'xXo'.includes(type);
  if (!isNumber(value) || (radixed && isFloat(value))) {
    throw new TemplateError(`%${type} requires a number, not '${typeName(value)}'`);
  }
  const int = isFloat(value) ? makeInt(BigInt(Math.trunc(toNumber(value)))) : value;
  if (precision === undefined)
    return formatValue(int, numericSpec(directive, radixed ? type : 'd'));
  const digits = formatValue(int, radixed ? type : 'd');
  const sign = digits.startsWith('-') ? '-' : '';
  const padded = sign + digits.slice(sign.length).padStart(Number(precision), '0');
  return textual({ ...directive, precision: undefined }, padded);
}

function fractional(directive: Directive, value: Val): string {
  if (!isNumber(value)) {
    throw new TemplateError(`%${directive.type} requires a number, not '${typeName(value)}'`);
  }
  return formatValue(value, numericSpec(directive, directive.type));
}
