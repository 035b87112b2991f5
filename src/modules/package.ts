import { defineFront, type Reader, TaskError } from '../engine/module.ts';
import { object, optional, raw, string } from '../shared/schema.ts';
import { withoutCollection } from './support/front.ts';

/** Package managers that there is a module for. */
const SUPPORTED = ['apt'];
const TOLD = 'ansible_package_use';
const KNOWN = 'ansible_facts.pkg_mgr';

export const packageModule = defineFront({
  name: 'package',
  aliases: ['ansible.builtin.package'],
  summary: 'Install and remove packages by whatever package manager the host has.',
  args: object({
    name: optional(
      raw('Package or list of packages, as the package manager of the host names them.'),
    ),
    state: optional(string('`present`, `absent`, or another state that the package manager has.')),
    use: string(
      'The package manager. With `auto` the one that the variable `ansible_package_use` names, or else the one that is found.',
      { default: 'auto' },
    ),
  }),
  openArgs: true,
  examples: [
    { title: 'Install a package', args: { name: 'chrony', state: 'present' } },
    { title: 'Remove two packages', args: { name: ['nano', 'sl'], state: 'absent' } },
  ],
  returns: {
    cache_updated: 'On hosts with apt, whether the package lists were fetched and are newer.',
  },

  consults: [TOLD, KNOWN],

  async choose(host, { use, ...args }, known) {
    const manager = await findManager(host, [use, known[TOLD], known[KNOWN]]);
    if (SUPPORTED.includes(manager)) return { module: manager, args };
    throw new TaskError(`the package manager "${manager}" is not supported yet`, {
      hint: `only ${SUPPORTED.join(', ')} is; run its own tool with "command"`,
    });
  },
});

/** The first manager that is named, else the one of the host. */
async function findManager(host: Reader, named: readonly unknown[]): Promise<string> {
  const [given] = named.map(withoutCollection).filter((name) => !['', 'auto'].includes(name));
  if (given !== undefined) return given;
  const facts = await host.facts({ subset: ['!all', '!min', 'pkg_mgr'] });
  return String(facts.get('pkg_mgr') ?? 'unknown');
}
