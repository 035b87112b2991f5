import { sh } from '../../shared/shell.ts';
import { table } from '../../shared/table.ts';
import { assignments, type Collector, section } from './collector.ts';

/** What the Linux Standard Base tools say, or their file. */
export const lsb: Collector = {
  name: 'lsb',
  script: sh`if has lsb_release; then s lsb; lsb_release -a; else f lsb-file /etc/lsb-release; fi`,

  parse(sections) {
    const facts = sections.has('lsb')
      ? fromTool(section(sections, 'lsb'))
      : fromFile(section(sections, 'lsb-file'));
    const release = facts['release'];
    return { lsb: { ...facts, ...(release && { major_release: release.split('.')[0] }) } };
  },
};

const LABELS: Readonly<Record<string, string>> = table({
  'LSB Version': 'release',
  'Distributor ID': 'id',
  Description: 'description',
  Release: 'release',
  Codename: 'codename',
});

function fromTool(text: string): Record<string, string> {
  const pairs = [...text.matchAll(/^([^:]+):\s*(.*)$/gm)].flatMap(([, label = '', value = '']) => {
    const name = LABELS[label];
    return name === undefined ? [] : [[name, value.trim()] as const];
  });
  return Object.fromEntries(pairs);
}

function fromFile(text: string): Record<string, string> {
  const file = assignments(text);
  const names = ['id', 'release', 'description', 'codename'];
  return Object.fromEntries(
    names.flatMap((name) => {
      const value = file.get(`DISTRIB_${name.toUpperCase()}`);
      return value === undefined ? [] : [[name, value] as const];
    }),
  );
}
