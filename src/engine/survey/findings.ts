/** What is found before a run, put together so that one fault is one line. */
import type { Problem } from '../../shared/errors.ts';
import { notAvailable } from '../playbook/ansible-world.ts';
import { grouped, shown } from '../playbook/grouped.ts';
import type { Position } from '../values.ts';

interface Lacking {
  readonly full: string;
  readonly what: string;
  readonly place: Position;
  readonly isCertain: boolean;
}

/** Collects problems by whether the tasks that have them certainly run. */
export class Findings {
  readonly #certain: Problem[] = [];
  readonly #doubtful: Problem[] = [];
  readonly #advice: Problem[] = [];
  readonly #lacking: Lacking[] = [];

  /** Something wrong at a task. */
  add(problem: Problem, isCertain: boolean): void {
    (isCertain ? this.#certain : this.#doubtful).push(problem);
  }

  /** Something of Ansible's world that tsprov does not have. */
  lack(lacking: Lacking): void {
    this.#lacking.push(lacking);
  }

  /** Something that plays, and is hardly meant. */
  advise(problem: Problem): void {
    this.#advice.push(problem);
  }

  /** What is hardly meant. */
  advice(): Problem[] {
    return grouped(this.#advice);
  }

  /** What refuses the run; with `strict` everything that was found. */
  problems(strict: boolean): Problem[] {
    const certain = this.#lacking.filter(({ isCertain }) => strict || isCertain);
    const other = strict ? [...this.#certain, ...this.#doubtful] : this.#certain;
    return [...lackingProblems(certain), ...grouped(other)];
  }

  /** What is said at the start of a run that goes on. */
  warnings(): Problem[] {
    const doubtful = this.#lacking.filter(({ isCertain }) => !isCertain);
    const warnings = grouped(this.#doubtful);
    return doubtful.length === 0 ? warnings : [{ message: summary(doubtful) }, ...warnings];
  }
}

function lackingProblems(lacking: readonly Lacking[]): Problem[] {
  const problems = lacking.map(({ full, what, place }) => ({
    place,
    message: notAvailable(what, full),
    hint: what === 'module' ? 'tsprov doc lists the modules that are' : pluginHint(full),
  }));
  return grouped(problems);
}

/** How to do without a plugin of the user's own. */
function pluginHint(full: string): string | undefined {
  if (full.includes('.')) return undefined;
  return 'use built-in filters, a macro in a template, or a module of your own in library/ whose result is registered';
}

/** `3 modules are not available; they are needed only where their conditions hold: dnf (4 places), ufw (2), …`. */
function summary(lacking: readonly Lacking[]): string {
  const places = new Map<string, Set<string>>();
  for (const { full, place } of lacking) {
    places.set(full, (places.get(full) ?? new Set()).add(shown(place)));
  }
  const told = [...places]
    .toSorted(([a, one], [b, other]) => other.size - one.size || (a < b ? -1 : 1))
    .map(([full, { size }], i) => {
      const name = full.replace(/^ansible\.builtin\./, '');
      return size === 1 ? name : `${name} (${i === 0 ? `${size} places` : size})`;
    });
  const whats = new Set(lacking.map(({ what }) => what));
  const [what = ''] = whats.size === 1 ? whats : ['plugin'];
  return told.length === 1
    ? `the ${what} ${told.join('')} is not available; it is needed only where its conditions hold`
    : `${told.length} ${what}s are not available; they are needed only where their conditions hold: ${told.join(', ')}`;
}
