import { defineFront, type Reader, TaskError } from '../engine/module.ts';
import { boolean, choice, integer, object, optional, string } from '../shared/schema.ts';
import { sh } from '../shared/shell.ts';
import { withoutCollection } from './support/front.ts';
import { alwaysActs, UNIT_STATES, unitOptions } from './support/systemctl.ts';

/** How the manager of services shows itself on a running host. */
const MANAGER = sh`if [ -d /run/systemd/system ]; then echo systemd
elif [ -d /run/openrc ]; then echo openrc
elif [ -d /run/runit ] || [ -d /etc/runit/runsvdir ]; then echo runit
elif command -v s6-svscan >/dev/null; then echo s6
elif command -v systemctl >/dev/null; then echo systemd
elif [ -d /etc/init.d ]; then echo sysvinit
else cat /proc/1/comm; fi`;

const KNOWN = 'ansible_facts.service_mgr';

/** The module of systemd and its other name. */
const OF_SYSTEMD = ['systemd', 'systemd_service'];

/** In the order in which Ansible warns of them. */
const UNUSED_BY_SYSTEMD = ['pattern', 'runlevel', 'sleep', 'arguments'] as const;

export const service = defineFront({
  name: 'service',
  aliases: ['ansible.builtin.service'],
  summary: 'Keep a service running or stopped, whatever manages services on the host.',

  args: object({
    name: optional(string('Service. Only `daemon_reload` and `daemon_reexec` do without.')),
    state: optional(
      choice(
        UNIT_STATES,
        'What the service does. `restarted` and `reloaded` are a change each time.',
      ),
    ),
    enabled: optional(boolean('Whether it is started at boot.')),
    sleep: optional(integer('Seconds between stop and start of a restart. Not used by systemd.')),
    pattern: optional(string('Text in the process list that tells it runs. Not used by systemd.')),
    runlevel: optional(string('Run level of OpenRC. Not used by systemd.')),
    arguments: optional(
      string('More words for the command line. Not used by systemd.', { aliases: ['args'] }),
    ),
    use: string(
      'The manager of services. With `auto` the one that facts or else the host itself tell.',
      { default: 'auto' },
    ),
    ...unitOptions,
  }),

  examples: [
    {
      title: 'Run a service now and at boot',
      args: { name: 'ssh', state: 'started', enabled: true },
    },
  ],

  returns: {
    name: 'The service, as it was given.',
    state: '`started` or `stopped`.',
    enabled: 'Whether it is started at boot.',
  },

  alwaysActs,

  consults: [KNOWN],

  async choose(host, { use, ...given }, known) {
    const named = withoutCollection(use === 'auto' ? known[KNOWN] : use);
    if (!OF_SYSTEMD.includes(named)) await expectSystemd(host);
    const unused = UNUSED_BY_SYSTEMD.filter((option) => given[option] !== undefined);
    const { pattern, runlevel, sleep, arguments: words, ...args } = given;
    return {
      module: OF_SYSTEMD.includes(named) ? named : 'systemd',
      args,
      warnings: unused.map((option) => `Ignoring "${option}" as it is not used in "systemd"`),
    };
  },
});

async function expectSystemd(host: Reader): Promise<void> {
  const manager = (await host.read(MANAGER)).stdout.trim();
  if (manager === 'systemd') return;
  throw new TaskError(`the service manager "${manager}" is not supported yet`, {
    hint: 'use command with the tool of that manager',
  });
}
