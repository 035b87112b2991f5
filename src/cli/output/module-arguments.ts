import type { Module } from '../../engine/module.ts';
import type { Field } from '../../shared/schema.ts';

/** One argument as the reference shows it. */
export interface ArgumentRow {
  /** With the names of the arguments around it: `rules[].from`. */
  readonly name: string;
  readonly aliases: readonly string[];
  /** `str`, `list of str`, or the choices. */
  readonly type: string;
  readonly choices: readonly string[];
  readonly isRequired: boolean;
  readonly default: unknown;
  readonly description: string;
}

/** Every argument of a module, members of objects below their object, in the order of the declaration. */
export function argumentRows({ args }: Pick<Module, 'args'>): readonly ArgumentRow[] {
  return rowsOf(args, '');
}

function rowsOf(field: Field<unknown>, prefix: string): readonly ArgumentRow[] {
  return Object.entries(field.shape ?? {}).flatMap(([name, member]) => {
    const path = `${prefix}${name}`;
    const inner = member.element === undefined ? [] : rowsOf(member.element, `${path}[].`);
    return [rowOf(path, member), ...inner, ...rowsOf(member, `${path}.`)];
  });
}

function rowOf(name: string, field: Field<unknown>): ArgumentRow {
  const { aliases, required, description, element } = field;
  return {
    name,
    aliases,
    type: element === undefined ? typeName(field) : `list of ${typeName(element)}`,
    choices: choicesOf(field),
    isRequired: required,
    default: field.default,
    description,
  };
}

function typeName({ kind }: Field<unknown>): string {
  return kind === 'object' ? 'dict' : kind;
}

function choicesOf({ schema, element }: Field<unknown>): readonly string[] {
  const choices: unknown = schema['enum'] ?? element?.schema['enum'];
  return Array.isArray(choices) ? choices.map(String) : [];
}

/** A default as a person would write it. */
export function defaultText(value: unknown): string {
  if (value === undefined) return '';
  if (typeof value === 'boolean') return value ? 'true' : 'false';
  return typeof value === 'string' ? value : JSON.stringify(value);
}
