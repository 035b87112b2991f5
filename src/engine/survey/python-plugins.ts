/** Plugins that users have written in Python beside a playbook or in a role. */
import { readdirSync, readFileSync } from 'node:fs';
import { join, parse } from 'node:path';
import type { Play } from '../playbook/model.ts';
import { withDependencies } from './known-names.ts';
import type { Tour } from './tour.ts';

type Kind = 'filter' | 'test' | 'lookup';

interface PluginsOf {
  readonly plays: readonly Play[];
  readonly tour: Tour;
}

/** Which names the Python plugins of a project have. */
export class PythonPlugins {
  readonly #given: PluginsOf;
  readonly #files = new Map<Kind, readonly string[]>();

  constructor(given: PluginsOf) {
    this.#given = given;
  }

  /** Whether a plugin of a name is there: a lookup is named as its file, others as a text in theirs. */
  has(kind: Kind, name: string): boolean {
    const files = this.#files.get(kind) ?? this.#find(kind);
    this.#files.set(kind, files);
    if (kind === 'lookup') return files.some((file) => parse(file).name === name);
    return files.some((file) => {
      const text = readFileSync(file, 'utf8');
      return text.includes(`'${name}'`) || text.includes(`"${name}"`);
    });
  }

  #find(kind: Kind): string[] {
    const { plays, tour } = this.#given;
    const owners = new Set([
      ...plays.map(({ playbookDir }) => playbookDir),
      ...tour.roles.flatMap(withDependencies).map(({ path }) => path),
    ]);
    return [...owners].flatMap((owner) => pythonIn(join(owner, `${kind}_plugins`)));
  }
}

function pythonIn(folder: string): string[] {
  try {
    const names = readdirSync(folder).filter((name) => parse(name).ext === '.py');
    return names.map((name) => join(folder, name));
  } catch {
    return []; // Hardly anybody has such plugins.
  }
}
