import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { parse, stringify } from 'yaml';
import { REPOSITORY } from '../support/tsprov.ts';
import { type Explanation, type Explanations, KINDS, readExplanations } from './explanations.ts';
import { VERSION } from './source.ts';
import { readSelection, type Selection } from './targets.ts';

/** What the last run of a target has shown. */
export interface Row {
  readonly kind: 'role' | 'script';
  readonly asserts: readonly [ansible: number, tsprov: number];
  readonly tasks: readonly [ansible: number, tsprov: number];
  /** Tasks that fail with Ansible too on these machines. */
  readonly apart: number;
  /** Places that differ and that nothing explains. */
  readonly unexplained: readonly string[];
}

export type Rows = Readonly<Record<string, Row>>;

const RESULTS = join(import.meta.dirname, 'results.yaml');
/** The page that is made of them. */
export const PAGE = join(REPOSITORY, 'docs/conformance.md');

/** Keeps the results of a run beside those of targets that it has not played, and writes the page. */
export async function keepRows(fresh: Rows): Promise<void> {
  const all = { ...(await readRows()), ...fresh };
  const sorted = Object.fromEntries(Object.entries(all).sort(([a], [b]) => (a < b ? -1 : 1)));
  await writeFile(RESULTS, stringify(sorted, { flowCollectionPadding: false }));
  await writeFile(PAGE, await currentPage());
}

async function readRows(): Promise<Rows> {
  // Written by keepRows.
  return (parse(await readFile(RESULTS, 'utf8').catch(() => '')) ?? {}) as Rows;
}

/** The page as results, selection and explanations have it now. */
export async function currentPage(): Promise<string> {
  return renderPage(await readRows(), await readSelection(), await readExplanations());
}

/** Renders docs/conformance.md. */
export function renderPage(rows: Rows, selection: Selection, explanations: Explanations): string {
  const names = Object.keys(rows);
  const same = names.filter((name) => rows[name] && isSame(rows[name], explanations[name] ?? []));
  return [
    '# Conformance',
    '',
    `Integration targets of ansible-core ${VERSION}, played with ansible-core and with tsprov on equal nodes. Written by \`npm run test:conformance\`; the targets themselves are fetched for the run.`,
    '',
    'A task that fails is noted and taken out, and the target is played again, so that one difference does not hide the next. What fails with Ansible too (it needs something that the machines of the tests do not have) is taken out for both; the column *apart* counts it. Asserts are the checks of the targets, tasks are results that were `ok` or `changed`. Messages count only where a target asserts them.',
    '',
    `${names.length} targets were played: ${same.length} without any difference.`,
    '',
    '| target | asserts, Ansible | asserts, tsprov | tasks, Ansible | tasks, tsprov | apart | differences |',
    '| --- | --- | --- | --- | --- | --- | --- |',
    ...names.flatMap((name) => {
      const row = rows[name];
      return row ? [renderRow(name, row, explanations[name] ?? [])] : [];
    }),
    '',
    '## What differs',
    ...Object.entries(explanations).flatMap(([name, list]) => renderExplanations(name, list)),
    '',
    '## Missing modules',
    '',
    'These targets are about a module that tsprov does not have yet.',
    '',
    ...Object.entries(selection.missing).map(
      ([module, targets]) => `- \`${module}\`: ${targets.join(', ')}`,
    ),
    '',
    '## Not played',
    '',
    ...selection.outside.map(({ why, targets }) => `- ${why}: ${targets.join(', ')}`),
    '',
  ].join('\n');
}

function isSame({ unexplained }: Row, explanations: readonly Explanation[]): boolean {
  return unexplained.length === 0 && explanations.length === 0;
}

function renderRow(name: string, row: Row, explanations: readonly Explanation[]): string {
  const kinds = new Set(explanations.map(({ kind }) => KINDS[kind]));
  if (row.unexplained.length > 0) kinds.add(KINDS.bug);
  const cells = [...row.asserts, ...row.tasks, row.apart, [...kinds].join(', ') || 'none'];
  return `| ${name} | ${cells.join(' | ')} |`;
}

function renderExplanations(name: string, list: readonly Explanation[]): string[] {
  const lines = list.map(({ at, kind, row, why }) => {
    const places = at.map((place) => place.replace(`${name}/`, '')).join(', ');
    const reason = row ? `[\`${row}\`](differences.md)` : KINDS[kind];
    return `- ${reason}: ${why} (${places})`;
  });
  return ['', `### ${name}`, '', ...lines];
}
