import { sh } from '../../shared/shell.ts';
import { type Collector, section } from './collector.ts';

const SEPARATOR = '\u001e';

/** The environment of the remote shell. A record separator stands where the kernel writes NUL. */
export const env: Collector = {
  name: 'env',
  script: sh`s env; tr '\\000' '\\036' </proc/self/environ`,

  parse(sections) {
    const pairs = section(sections, 'env')
      .split(SEPARATOR)
      .map((pair) => pair.split(/=(.*)/s, 2))
      .filter(([name = '', value]) => name !== '' && value !== undefined);
    return { env: Object.fromEntries(pairs) };
  },
};
