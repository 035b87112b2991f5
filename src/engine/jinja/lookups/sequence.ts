import { type Builtin, define } from '../builtin.ts';
import { TemplateError } from '../errors.ts';
import { iterate } from '../iterate.ts';
import { type Runtime, Tuple, type Val } from '../objects.ts';
import { percentFormat } from '../percent-format.ts';
import { requireText, textOf } from '../text.ts';
import { parseKeyValues } from './key-values.ts';
import { integerOf } from './option-types.ts';

interface Sequence {
  readonly start: number;
  readonly end: number | undefined;
  readonly count: number | undefined;
  readonly stride: number;
  readonly format: string;
}

const OPTIONS: ReadonlySet<string> = new Set(['start', 'end', 'count', 'stride', 'format']);
const SHORTCUT = /^\s*(?:(\d+)-)?(\d+)(?:\/(\d+))?(?::(.+))?$/;

function sequenceOf(options: ReadonlyMap<string, Val>): Sequence {
  const number = (name: string) => {
    const value = options.get(name);
    return value === undefined ? undefined : integerOf(value, `${name} of sequence`);
  };
  const stride = number('stride') ?? 1;
  return {
    start: number('start') ?? 1,
    end: number('end'),
    count: number('count'),
    stride,
    format: textOf(options.get('format') ?? '%d'),
  };
}

function parseTerm(term: string): ReadonlyMap<string, string> {
  const [, start, end, stride, format] = SHORTCUT.exec(term) ?? [];
  if (end === undefined) {
    const { words, pairs } = parseKeyValues(term, OPTIONS);
    if (words.length > 0)
      throw new TemplateError(`sequence does not understand "${words.join(' ')}"`);
    return pairs;
  }
  const given: readonly (readonly [string, string | undefined])[] = [
    ['start', start],
    ['end', end],
    ['stride', stride],
    ['format', format],
  ];
  return new Map(
    given.flatMap(([name, value]) => (value === undefined ? [] : [[name, value] as const])),
  );
}

function lastOf({ start, end, count, stride }: Sequence): number | undefined {
  if (end !== undefined && count !== undefined)
    throw new TemplateError('sequence takes end or count, not both');
  // As Ansible counts: downwards there is one more than asked for, by steps of one even two.
  if (count !== undefined) return count === 0 ? undefined : start + count * stride - 1;
  if (end === undefined) throw new TemplateError('sequence needs end or count');
  return end;
}

function numbers(runtime: Runtime, sequence: Sequence): readonly string[] {
  const { start, stride, format } = sequence;
  const last = lastOf(sequence);
  if (last === undefined || stride === 0) return [];
  if (stride > 0 !== last >= start && last !== start) {
    throw new TemplateError('the stride of sequence leads away from its end');
  }
  const length = Math.floor((last - start) / stride) + 1;
  runtime.checkItems(length);
  return Array.from({ length }, (_, index) =>
    percentFormat(format, Tuple.fromItems([start + index * stride]), runtime),
  );
}

function optionOf(name: string, value: Val): readonly [string, Val] {
  return [name, name === 'format' ? value : integerOf(value, `${name} of sequence`)];
}

/** The sequence lookup: numbers as texts. */
export const sequenceLookup: Builtin = define(
  'sequence',
  'terms, start=None, end=None, count=None, stride=None, format=None',
  (runtime, terms, ...given) => {
    const names = [...OPTIONS];
    const named = given.flatMap((value: Val, index) =>
      value === null ? [] : [optionOf(names[index] ?? '', value)],
    );
    const texts = iterate(terms ?? [], runtime).map((term) =>
      requireText(term, 'a term of sequence'),
    );
    if (texts.length === 0 && named.length === 0) return [];
    const all = texts.length === 0 ? [''] : texts;
    return all.flatMap((text) =>
      numbers(runtime, sequenceOf(new Map([...named, ...parseTerm(text)]))),
    );
  },
);
