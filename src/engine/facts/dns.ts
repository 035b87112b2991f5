import { sh } from '../../shared/shell.ts';
import { table } from '../../shared/table.ts';
import { type Collector, lines } from './collector.ts';

/** The resolver's settings. */
export const dns: Collector = {
  name: 'dns',
  script: sh`f resolv /etc/resolv.conf`,

  parse(sections) {
    const settings = lines(sections, 'resolv').flatMap(readSetting);
    const nameservers = settings.flatMap(([name, words]) => (name === 'nameserver' ? words : []));
    const others = settings.filter(([name]) => name !== 'nameserver');
    return {
      dns: { ...(nameservers.length > 0 && { nameservers }), ...Object.fromEntries(others) },
    };
  },
};

const VALUES: Readonly<Record<string, (words: readonly string[]) => unknown>> = table({
  nameserver: (words) => words,
  domain: (words) => words[0],
  search: (words) => words,
  sortlist: (words) => words,
  options,
});

/** Keyword and value of a line; nothing for a comment or an unknown keyword. */
function readSetting(line: string): readonly (readonly [string, unknown])[] {
  const [keyword = '', ...words] = line.trim().split(/\s+/);
  const value = VALUES[keyword]?.(words);
  return value === undefined ? [] : [[keyword, value]];
}

function options(words: readonly string[]): Record<string, unknown> {
  return Object.fromEntries(
    words.map((word) => {
      const [name = '', value] = word.split(':', 2);
      return [name, value ?? true];
    }),
  );
}
