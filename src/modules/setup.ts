import { defineConversation } from '../engine/module.ts';
import { matchesGlob } from '../shared/glob.ts';
import { integer, list, object, path, string } from '../shared/schema.ts';

export const setup = defineConversation({
  name: 'setup',
  aliases: ['ansible.builtin.setup', 'gather_facts', 'ansible.builtin.gather_facts'],
  wrappers: ['gather_facts'],
  summary: 'Gather facts about a host.',

  args: object({
    gather_subset: list(
      string('`all`, `min`, `hardware`, `network`, `virtual` or a single name; `!` excludes.'),
      'Which facts to gather. The minimal ones always are, unless `!min` is given.',
      { default: ['all'] },
    ),
    gather_timeout: integer('How long one file system or fact script may take, in seconds.', {
      default: 10,
    }),
    filter: list(
      string('A pattern of names, with or without the prefix `ansible_`.'),
      'Return only facts whose name fits one of these shell patterns.',
      { default: [] },
    ),
    fact_path: path('Directory of local facts: JSON, INI or programs that print either.', {
      default: '/etc/ansible/facts.d',
    }),
  }),

  examples: [
    { title: 'Gather everything', args: {} },
    { title: 'Gather the minimum', args: { gather_subset: '!all' } },
    { title: 'Return only the addresses', args: { filter: 'ansible_all_ip*' } },
  ],

  returns: { ansible_facts: 'The facts, their names with the prefix `ansible_`.' },

  async run({ host }, { gather_subset, gather_timeout, filter, fact_path }) {
    const facts = await host.facts({
      subset: gather_subset,
      timeoutSeconds: gather_timeout,
      factPath: fact_path,
    });
    const patterns = filter.filter((pattern) => pattern !== '');
    const named = [...facts].map(([name, value]) => [prefixed(name), value] as const);
    const wanted = named.filter(([name]) => isWanted(name, patterns));
    return { result: { ansible_facts: Object.fromEntries(wanted) } };
  },
});

/** Bookkeeping that Ansible leaves without prefix. */
const BARE = ['gather_subset', 'module_setup'];

function prefixed(name: string): string {
  return BARE.includes(name) ? name : `ansible_${name}`;
}

function isWanted(name: string, patterns: readonly string[]): boolean {
  const names = [name, name.replace(/^ansible_/, '')];
  return (
    patterns.length === 0 ||
    patterns.some((pattern) => names.some((each) => matchesGlob(each, pattern)))
  );
}
