/** Options of lookups as their types have them. */
import { TemplateError } from '../errors.ts';
import { isNumber, toNumber } from '../numbers.ts';
import { isList, isText, Range, type Val } from '../objects.ts';
import { textOf } from '../text.ts';

const TRUE = /^(?:true|t|yes|y|on|1|1\.0)$/i;

/** An option of a lookup that is true or false, as Ansible's options are: what is no word for true is false. */
export function flagOf(value: Val | undefined, fallback: boolean): boolean {
  if (value === undefined || value === null) return fallback;
  if (isText(value)) return TRUE.test(textOf(value));
  return isNumber(value) && toNumber(value) === 1;
}

/** An option of a lookup that is an integer, also as a text or a decimal number without a fraction. Throws TemplateError on others. */
export function integerOf(value: Val, name: string): number {
  const text = typeof value === 'boolean' ? String(Number(value)) : textOf(value);
  if (/^\s*[-+]?\d+(\.0*)?\s*$/.test(text)) return Number(text);
  throw new TemplateError(`${name} has an invalid value: "${text}" is no integer`);
}

/** An option of a lookup that is a text; a number or a boolean counts as its text. Throws TemplateError on others. */
export function stringOf(value: Val, name: string): string {
  if (isText(value) || isNumber(value)) return textOf(value);
  throw new TemplateError(`${name} must be a string`);
}

/** An option of a lookup that is a list of texts. Throws TemplateError where it is neither a list nor a text. */
export function stringsOf(value: Val, name: string): readonly Val[] {
  if (isList(value)) return value;
  if (isText(value)) return [value];
  if (value instanceof Range) return Array.from({ length: value.length }, (_, i) => value.at(i));
  throw new TemplateError(`${name} must be a list of strings`);
}
