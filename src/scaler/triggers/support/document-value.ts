/** A number somewhere in a document: JSON, YAML, XML, or metrics as Prometheus reads them. */
import { parse } from 'yaml';
import { parseQuantity } from '../../../shared/quantity.ts';
import { valueAtDots } from './dot-path.ts';
import { parseJsonPath, valueAt } from './json-path.ts';
import { findSample, parseSelector } from './prometheus-text.ts';
import { parseXml } from './xml.ts';

export type DocumentFormat = 'json' | 'xml' | 'yaml' | 'prometheus';

/** How to write a location, for the pages of triggers. */
export const LOCATION_NOTES = [
  'With `json` the location is a path of GJSON: names and indexes between dots (`queues.0.length`), `#` for the number of elements, `#.length` for that member of each, `#(name=="orders").length` for the first element that matches, `*` and `?` within names, `|` in place of a dot to go on with a list as a whole, and a backslash before a character that is meant literally. Modifiers such as `@this` and several paths at once are refused.',
  'With `yaml` (and `xml`, where a trigger has it) it is names and indexes between dots.',
  'A number, or text that is a quantity (`500m`, `2Gi`), must be there; anything else is a failure.',
];

const FORMAT_NAMES: Readonly<Record<DocumentFormat, string>> = {
  json: 'JSON',
  xml: 'XML',
  yaml: 'YAML',
  prometheus: 'metrics in the text format of Prometheus',
};

/** What is wrong with a location, to be read after its name; undefined where it can be looked up. */
export function problemOfLocation(format: DocumentFormat, location: string): string | undefined {
  try {
    if (format === 'json') parseJsonPath(location);
    if (format === 'prometheus') parseSelector(location);
    return undefined;
  } catch (error) {
    if (!(error instanceof RangeError)) throw error;
    return error.message;
  }
}

/**
 * The number, or the quantity, at a location.
 * @throws {Error} a sentence without its subject, where the document is none or has no number there.
 */
export function readDocumentValue(
  document: string,
  format: DocumentFormat,
  location: string,
): number {
  const found = locate(document, format, location);
  const value = typeof found === 'string' ? parseQuantity(found) : found;
  if (typeof value === 'number' && Number.isFinite(value)) return value;
  throw new Error(`${describe(found)} at ${location}, where a number or a quantity is needed`);
}

function locate(document: string, format: DocumentFormat, location: string): unknown {
  const path = format === 'json' ? parseJsonPath(location) : undefined;
  const selector = format === 'prometheus' ? parseSelector(location) : undefined;
  try {
    if (path !== undefined) return valueAt(JSON.parse(document), path);
    if (selector !== undefined) return findSample(document, selector);
    return valueAtDots(format === 'xml' ? parseXml(document) : parse(document), location);
  } catch (cause) {
    const reason = cause instanceof RangeError ? `: it ${cause.message}` : '';
    throw new Error(`is not ${FORMAT_NAMES[format]}${reason}`, { cause });
  }
}

/** Without the value: a Secret may be read. */
function describe(found: unknown): string {
  if (found === undefined) return 'has nothing';
  if (found === null) return 'has null';
  if (Array.isArray(found)) return 'has a list';
  if (typeof found === 'number') return 'has no finite number';
  return typeof found === 'object' ? 'has an object' : `has a ${typeof found} that is no number`;
}
