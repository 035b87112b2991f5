import { TemplateError } from './errors.ts';
import { makeFloat } from './numbers.ts';
import type { Kwargs, Val } from './objects.ts';

interface Parameter {
  readonly name: string;
  /** Undefined where the argument is required. */
  readonly fallback: Val | undefined;
  readonly kind: 'plain' | 'rest' | 'keywords';
}

/** The parameters of a function, as Python would write them. */
export interface Signature {
  readonly parameters: readonly Parameter[];
  readonly hasRest: boolean;
  readonly hasKeywords: boolean;
  /** How many arguments may be given by position before those that `*rest` takes. */
  readonly positionalCount: number;
}

const CONSTANTS: ReadonlyMap<string, Val> = new Map<string, Val>([
  ['None', null],
  ['True', true],
  ['False', false],
  ['[]', []],
  ['{}', new Map()],
]);

/** Reads a list of parameters such as `value, width=4, *rest, **options`. */
export function parseSignature(text: string): Signature {
  const parts = text.split(/,\s+(?=[\w*])/).filter((part) => part !== '');
  const parameters = parts.map(parseParameter);
  const special = parameters.findIndex(({ kind }) => kind !== 'plain');
  return {
    parameters,
    positionalCount: special === -1 ? parameters.length : special,
    hasRest: parameters.some(({ kind }) => kind === 'rest'),
    hasKeywords: parameters.some(({ kind }) => kind === 'keywords'),
  };
}

function parseParameter(text: string): Parameter {
  if (text.startsWith('**')) return { name: text.slice(2), fallback: undefined, kind: 'keywords' };
  if (text.startsWith('*')) return { name: text.slice(1), fallback: undefined, kind: 'rest' };
  const [name = '', ...fallback] = text.split('=');
  if (fallback.length === 0) return { name, fallback: undefined, kind: 'plain' };
  return { name, fallback: parseFallback(fallback.join('=')), kind: 'plain' };
}

function parseFallback(text: string): Val {
  const constant = CONSTANTS.get(text);
  if (constant !== undefined) return constant;
  if (text.startsWith("'")) return text.slice(1, -1);
  return text.includes('.') ? makeFloat(Number(text)) : Number(text);
}

/**
 * The arguments in the order of the parameters: defaults filled in, `*rest` as a list, `**options` as a
 * dict. Throws TemplateError on a missing, an unknown or a surplus argument.
 */
export function bind(
  name: string,
  signature: Signature,
  args: readonly Val[],
  kwargs: Kwargs | undefined,
): readonly Val[] {
  const { parameters } = signature;
  if (
    kwargs === undefined &&
    args.length === parameters.length &&
    !signature.hasRest &&
    !signature.hasKeywords
  ) {
    return args;
  }
  const { positionalCount } = signature;
  const bound = parameters.map((parameter, index) => {
    if (parameter.kind === 'rest') return args.slice(positionalCount);
    if (parameter.kind === 'keywords') return surplus(signature, kwargs);
    const positional = index < positionalCount ? args[index] : undefined;
    return plainArgument(name, parameter, positional, kwargs?.get(parameter.name));
  });
  if (!signature.hasRest && args.length > positionalCount) {
    throw new TemplateError(
      `${name}() takes at most ${positionalCount} arguments, not ${args.length}`,
    );
  }
  if (!signature.hasKeywords) refuseUnknown(name, signature, kwargs);
  return bound;
}

function plainArgument(
  name: string,
  parameter: Parameter,
  positional: Val | undefined,
  keyword: Val | undefined,
): Val {
  if (positional !== undefined && keyword !== undefined) {
    throw new TemplateError(`${name}() got multiple values for argument '${parameter.name}'`);
  }
  const given = positional === undefined ? keyword : positional;
  const value = given === undefined ? parameter.fallback : given;
  if (value === undefined)
    throw new TemplateError(`${name}() misses its argument '${parameter.name}'`);
  return value;
}

function surplus({ parameters }: Signature, kwargs: Kwargs | undefined): Val {
  const known = new Set(parameters.map(({ name }) => name));
  return new Map([...(kwargs ?? [])].filter(([key]) => !known.has(key)));
}

function refuseUnknown(name: string, { parameters }: Signature, kwargs: Kwargs | undefined): void {
  for (const key of kwargs?.keys() ?? []) {
    if (!parameters.some((parameter) => parameter.name === key)) {
      throw new TemplateError(`${name}() has no argument '${key}'`);
    }
  }
}
