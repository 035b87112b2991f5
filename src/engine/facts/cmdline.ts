import { sh } from '../../shared/shell.ts';
import { splitWords } from '../../shared/shell-words.ts';
import { type Collector, section } from './collector.ts';

/** Arguments that the kernel was started with. */
export const cmdline: Collector = {
  name: 'cmdline',
  script: sh`f cmdline /proc/cmdline`,

  parse(sections) {
    const last: Record<string, unknown> = {};
    const all: Record<string, unknown> = {};
    for (const [name, value] of parsePairs(section(sections, 'cmdline'))) {
      const earlier = all[name];
      last[name] = value;
      if (earlier === undefined) all[name] = value;
      else all[name] = Array.isArray(earlier) ? [...earlier, value] : [earlier, value];
    }
    return { cmdline: last, proc_cmdline: all };
  },
};

function parsePairs(text: string): readonly (readonly [string, string | true])[] {
  return words(text).map((word) => {
    const [name = '', value] = word.split(/=(.*)/s, 2);
    return [name, value ?? true];
  });
}

/** A lone quote is no reason to know nothing. */
function words(text: string): readonly string[] {
  try {
    return splitWords(text);
  } catch {
    return text.trim().split(/\s+/);
  }
}
