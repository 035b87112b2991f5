import { sh } from '../../shared/shell.ts';
import { type Collector, section } from './collector.ts';

const SEPARATOR = '\u001e';

/** The persistent shell sets it for its own sake. */
const OWN_VARIABLE = 'LC_ALL';

/** The environment of the remote shell. A record separator stands where the kernel writes NUL. */
export const env: Collector = {
  name: 'env',
  script: sh`s env; cat /proc/self/environ | tr '\\000' '\\036'`,

  parse(sections) {
    const pairs = section(sections, 'env')
      .split(SEPARATOR)
      .map((pair) => pair.split(/=(.*)/s, 2))
      .filter(([name = '', value]) => name !== '' && name !== OWN_VARIABLE && value !== undefined);
    return { env: Object.fromEntries(pairs) };
  },
};
