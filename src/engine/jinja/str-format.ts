import { mapGet } from './compare.ts';
import { TemplateError } from './errors.ts';
import { formatValue } from './format-spec.ts';
import { isMap, type Runtime, Undefined, type Val } from './objects.ts';
import { reprOf, textOf } from './text.ts';

const FIELD =
  /^(?<name>[^.[!:{}]*)(?<path>(?:\.[^.[!:{}]+|\[[^\]]+\])*)(?:!(?<conversion>[rsa]))?(?::(?<spec>[\s\S]*))?$/;

/** Python's str.format. Throws TemplateError on a field that cannot be filled. */
export function formatText(
  runtime: Runtime,
  template: string,
  args: readonly Val[],
  kwargs: Val,
): string {
  return new Formatter(runtime, args, kwargs).format(template, 0);
}

class Formatter {
  readonly #runtime: Runtime;
  readonly #args: readonly Val[];
  readonly #kwargs: Val;
  #automatic = 0;
  #numbering: boolean | undefined;

  constructor(runtime: Runtime, args: readonly Val[], kwargs: Val) {
    this.#runtime = runtime;
    this.#args = args;
    this.#kwargs = kwargs;
  }

  format(template: string, depth: number): string {
    if (depth > 2) throw new TemplateError('format fields are nested too deeply');
    let out = '';
    let at = 0;
    while (at < template.length) {
      const next = template.slice(at).search(/[{}]/);
      if (next === -1) return out + template.slice(at);
      out += template.slice(at, at + next);
      at += next;
      if (template[at] === template[at + 1]) {
        out += template[at];
        at += 2;
        continue;
      }
      const end = fieldEnd(template, at);
      out += this.#field(template.slice(at + 1, end), depth);
      at = end + 1;
    }
    return out;
  }

  #field(field: string, depth: number): string {
    const groups = FIELD.exec(field)?.groups;
    if (groups === undefined) throw new TemplateError(`invalid format field "{${field}}"`);
    let value = this.#argument(groups['name'] ?? '');
    for (const [part] of (groups['path'] ?? '').matchAll(/\.[^.[]+|\[[^\]]+\]/g)) {
      value = this.#step(value, part);
    }
    if (value instanceof Undefined) value.fail();
    const spec = this.format(groups['spec'] ?? '', depth + 1);
    if (groups['conversion'] === undefined) return formatValue(value, spec);
    return formatValue(groups['conversion'] === 's' ? textOf(value) : reprOf(value), spec);
  }

  #argument(name: string): Val {
    if (name === '' || /^\d+$/.test(name)) {
      const index = this.#position(name);
      const value = this.#args[index];
      if (value === undefined) throw new TemplateError(`there is no format argument ${index}`);
      return value;
    }
    const value = isMap(this.#kwargs) ? mapGet(this.#kwargs, name) : undefined;
    if (value === undefined) throw new TemplateError(`there is no format argument '${name}'`);
    return value;
  }

  #position(name: string): number {
    const isAutomatic = name === '';
    if (this.#numbering !== undefined && this.#numbering !== isAutomatic) {
      throw new TemplateError('numbered and automatic format fields do not mix');
    }
    this.#numbering = isAutomatic;
    this.#automatic += 1;
    return isAutomatic ? this.#automatic - 1 : Number(name);
  }

  #step(value: Val, part: string): Val {
    if (part.startsWith('.'))
      return this.#runtime.engine.attribute(value, part.slice(1), this.#runtime);
    const key = part.slice(1, -1);
    return this.#runtime.engine.item(value, /^\d+$/.test(key) ? Number(key) : key, this.#runtime);
  }
}

function fieldEnd(template: string, start: number): number {
  if (template[start] === '}') throw new TemplateError("single '}' in a format string");
  let open = 0;
  for (let i = start; i < template.length; i++) {
    if (template[i] === '{') open += 1;
    else if (template[i] === '}') open -= 1;
    if (open === 0) return i;
  }
  throw new TemplateError("single '{' in a format string");
}
