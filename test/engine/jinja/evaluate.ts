import {
  Jinja,
  type JinjaHost,
  type Scope,
  TemplateError,
} from '../../../src/engine/jinja/jinja.ts';
import { TrustedTemplate, type Value } from '../../../src/engine/values.ts';

export const jinja = new Jinja();
export const host: JinjaHost = { searchPath: [] };

/** Where the templates of these tests are said to stand. */
export const POSITION = { file: 'site.yaml', line: 7, column: 12 };

/** A scope of these variables and no others. */
export function scopeOf(variables: Readonly<Record<string, Value>>): Scope {
  const known = new Map(Object.entries(variables));
  return { get: (name) => known.get(name), names: () => known.keys() };
}

/** Renders a template of the user's. Throws TemplateError. */
export function renderTemplate(
  text: string,
  variables: Readonly<Record<string, Value>> = {},
): Value {
  return jinja.renderValue(new TrustedTemplate(text, POSITION), scopeOf(variables), host);
}

/** The TemplateError that a call throws. Throws where it throws another one or none. */
export function failure(run: () => unknown): TemplateError {
  try {
    run();
  } catch (error) {
    if (error instanceof TemplateError) return error;
    throw error;
  }
  throw new Error('nothing failed');
}
