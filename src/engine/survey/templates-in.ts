/** The templates in a value, at any depth. */
import { isDict, TrustedTemplate, type Value } from '../values.ts';

/** Every template in a value. */
export function templatesIn(value: Value): TrustedTemplate[] {
  if (value instanceof TrustedTemplate) return [value];
  if (Array.isArray(value)) return value.flatMap(templatesIn);
  return isDict(value) ? [...value.values()].flatMap(templatesIn) : [];
}

/** Whether a value has a template in it. */
export function isTemplated(value: Value): boolean {
  return templatesIn(value).length > 0;
}
