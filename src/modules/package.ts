import { defineFront, type Reader, TaskError } from '../engine/module.ts';
import { object, raw, string } from '../shared/schema.ts';

/** Package managers that there is a module for. */
const SUPPORTED = ['apt'];

export const packageModule = defineFront({
  name: 'package',
  aliases: ['ansible.builtin.package'],
  summary: 'Install and remove packages by whatever package manager the host has.',
  args: object({
    name: raw('Package or list of packages, as the package manager of the host names them.'),
    state: string('`present`, `absent`, or another state that the package manager has.'),
    use: string('The package manager, instead of the one that is found.', { default: 'auto' }),
  }),
  openArgs: true,
  examples: [
    { title: 'Install a package', args: { name: 'chrony', state: 'present' } },
    { title: 'Remove two packages', args: { name: ['nano', 'sl'], state: 'absent' } },
  ],
  returns: {
    cache_updated: 'On hosts with apt, whether the package lists were fetched and are newer.',
  },

  async choose(host, { use, ...args }) {
    const given = use.replace(/^ansible\.(builtin|legacy)\./, '');
    const manager = given === 'auto' ? await findManager(host) : given;
    if (SUPPORTED.includes(manager)) return { module: manager, args };
    throw new TaskError(`the package manager "${manager}" is not supported yet`, {
      hint: `only ${SUPPORTED.join(', ')} is; run its own tool with "command"`,
    });
  },
});

async function findManager(host: Reader): Promise<string> {
  const facts = await host.facts({ subset: ['!all', '!min', 'pkg_mgr'] });
  return String(facts.get('pkg_mgr') ?? 'unknown');
}
