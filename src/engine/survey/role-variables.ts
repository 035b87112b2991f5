/** Variables that look like those of a role's argument specification, and are not. */
import { closest } from '../../shared/closest.ts';
import type { Problem } from '../../shared/errors.ts';
import { FREE_FORM } from '../playbook/action.ts';
import type { Role, Task } from '../playbook/model.ts';
import { readArgumentSpec } from '../playbook/role-files.ts';
import type { LoaderOptions } from '../playbook/source.ts';
import { Source } from '../playbook/source.ts';
import { type Dict, isDict, type Position } from '../values.ts';
import type { ProjectText } from './texts.ts';
import type { Tour } from './tour.ts';

interface Given {
  readonly tour: Tour;
  readonly loader: LoaderOptions;
  readonly texts: readonly ProjectText[];
}

/** Variables that nothing uses, whose name is nearly that of an option of a role. */
export function misspeltVariables({ tour, loader, texts }: Given): Problem[] {
  const source = new Source(loader);
  const roles = new Map(tour.roles.map((role) => [role.path, role]));
  return [...roles.values()].flatMap((role) => {
    const options = optionsOf(source, role, tour);
    if (options.length === 0) return [];
    const isOwn = ({ file }: ProjectText) => file.startsWith(`${role.path}/`);
    return suspects(texts, { options, isOwn }).map(({ name, option, place }) => ({
      place,
      message: `nothing uses the variable "${name}"`,
      hint: `did you mean "${option}" of the role "${role.name}"?`,
    }));
  });
}

/** The options of every entry point of a role that is used. */
function optionsOf(source: Source, role: Role, tour: Tour): string[] {
  const entries = new Set(['main', ...tour.visits.flatMap(({ task }) => entryPoint(task, role))]);
  return [...entries].flatMap((entry) => {
    const spec = readArgumentSpec(source, role.path, entry);
    const options = isDict(spec ?? null) ? (spec as Dict).get('options') : undefined; // Keys are text.
    return isDict(options ?? null) ? [...(options as Dict).keys()] : [];
  });
}

function entryPoint({ module, args }: Task, { name }: Role): string[] {
  if (module !== 'include_role' && module !== 'import_role') return [];
  const from = args.get('tasks_from');
  const isThis = (args.get('name') ?? args.get(FREE_FORM)) === name;
  return isThis && typeof from === 'string' ? [from.replace(/\.ya?ml$/, '')] : [];
}

interface Suspect {
  readonly name: string;
  readonly option: string;
  readonly place: Position;
}

const KEY = /((?:^\s*(?:- )?|[{,]\s*)["']?)([A-Za-z_]\w*)["']?\s*:(?=\s|$)/g;
const WORD = /[A-Za-z_]\w*/g;

/** A slip of the fingers; names of other variables are farther apart. */
const MOST_WRONG_LETTERS = 2;

interface Wish {
  readonly options: readonly string[];
  /** Whether a file is the role's, which knows its own variables. */
  readonly isOwn: (text: ProjectText) => boolean;
}

function suspects(texts: readonly ProjectText[], { options, isOwn }: Wish): Suspect[] {
  const counts = new Map<string, number>();
  const keys: { name: string; place: Position }[] = [];
  for (const each of texts) {
    const { file, text } = each;
    text.split('\n').forEach((line, i) => {
      for (const [word] of line.matchAll(WORD)) counts.set(word, (counts.get(word) ?? 0) + 1);
      if (isOwn(each)) return;
      for (const { index, 1: before = '', 2: name = '' } of line.matchAll(KEY))
        keys.push({ name, place: { file, line: i + 1, column: index + before.length + 1 } });
    });
  }
  return keys.flatMap(({ name, place }) => {
    // Its definition is the only place where it stands.
    if (options.includes(name) || counts.get(name) !== 1 || name.length < 5) return [];
    const option = closest(name, options, MOST_WRONG_LETTERS);
    return option === undefined ? [] : [{ name, option, place }];
  });
}
