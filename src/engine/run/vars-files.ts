/** `vars_files` of a play: read once where their names are known, again per host where they need its variables. */
import { isAbsolute, join } from 'node:path';
import { InvalidInput } from '../../shared/errors.ts';
import { TemplateError } from '../jinja/errors.ts';
import type { VarsFile } from '../playbook/model.ts';
import { isFile, textOf } from '../playbook/source.ts';
import { type Dict, OMIT, type Position, type Value } from '../values.ts';

/** Renders one entry's name; throws TemplateError while a variable is missing. */
type RenderName = (name: Value) => Value;

export class VarsFiles {
  readonly #entries: readonly VarsFile[];
  readonly #playbookDir: string;
  readonly #load: (file: string) => Dict;
  readonly #common: (Dict | undefined)[];
  readonly #perHost = new Map<string, { readonly facts: unknown; readonly dict: Dict }>();

  /** Throws InvalidInput for a plain file that does not exist. */
  constructor(
    entries: readonly VarsFile[],
    playbookDir: string,
    { load, render }: { load: (file: string) => Dict; render: RenderName },
  ) {
    this.#entries = entries;
    this.#playbookDir = playbookDir;
    this.#load = load;
    this.#common = this.#entries.map((entry) => this.#read(entry, render));
  }

  /** What every host sees. */
  common(): Dict {
    return merge(this.#common);
  }

  /** What a host sees: entries whose names need its variables are tried with those. */
  of(
    host: string,
    context: {
      readonly run: { variablesOf(host: string): { readonly facts: unknown } };
      render(value: Value, host: string): Value;
    },
  ): Dict {
    if (!this.#common.includes(undefined)) return this.common();
    const { facts } = context.run.variablesOf(host);
    const known = this.#perHost.get(host);
    if (known !== undefined && known.facts === facts) return known.dict;
    // Until it is complete the host sees the common part: rendering the names asks for variables again.
    this.#perHost.set(host, { facts, dict: this.common() });
    const own = this.#entries.map(
      (entry, i) => this.#common[i] ?? this.#read(entry, (name) => context.render(name, host)),
    );
    const dict = merge(own);
    this.#perHost.set(host, { facts, dict });
    return dict;
  }

  /** Undefined while a name has an undefined variable. */
  #read({ names, position }: VarsFile, render: RenderName): Dict | undefined {
    const searched: string[] = [];
    for (const name of names) {
      const text = this.#nameOf(name, render, position);
      if (text === undefined) return undefined;
      const file = isAbsolute(text) ? text : join(this.#playbookDir, text);
      const inVars = join(this.#playbookDir, 'vars', text);
      const found = [file, inVars].find(isFile);
      if (found !== undefined) return this.#load(found);
      searched.push(text);
    }
    const wanted = searched.map((file) => `"${file}"`).join(' or ');
    throw InvalidInput.at(
      position,
      `the vars file ${wanted} was not found`,
      `searched in ${this.#playbookDir} and its directory vars`,
    );
  }

  #nameOf(name: Value, render: RenderName, position: Position): string | undefined {
    try {
      const rendered = render(name);
      if (rendered !== OMIT) return textOf(rendered);
      throw InvalidInput.at(position, 'an entry of vars_files cannot be omitted');
    } catch (error) {
      if (error instanceof TemplateError && error.isUndefined) return undefined;
      throw error;
    }
  }
}

function merge(dicts: readonly (Dict | undefined)[]): Dict {
  return new Map(dicts.flatMap((dict) => [...(dict ?? [])]));
}
