import { defineFront, TaskError } from '../engine/module.ts';
import { boolean, choice, integer, object, optional, string } from '../shared/schema.ts';
import { sh } from '../shared/shell.ts';

/** How the manager of services shows itself on a running host. */
const MANAGER = sh`if [ -d /run/systemd/system ]; then echo systemd
elif [ -d /run/openrc ]; then echo openrc
elif [ -d /run/runit ] || [ -d /etc/runit/runsvdir ]; then echo runit
elif command -v s6-svscan >/dev/null; then echo s6
elif command -v systemctl >/dev/null; then echo systemd
elif [ -d /etc/init.d ]; then echo sysvinit
else cat /proc/1/comm; fi`;

export const service = defineFront({
  name: 'service',
  aliases: ['ansible.builtin.service'],
  summary: 'Keep a service running or stopped, whatever manages services on the host.',

  args: object({
    name: string('Service.'),
    state: optional(
      choice(
        ['started', 'stopped', 'restarted', 'reloaded'],
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
    use: string('The manager of services, instead of the one that is found.', { default: 'auto' }),
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

  async choose(host, { name, state, enabled, use }) {
    const manager = use === 'auto' ? (await host.read(MANAGER)).stdout.trim() : use;
    if (!['systemd', 'systemd_service'].includes(manager.replace('ansible.builtin.', ''))) {
      throw new TaskError(`the service manager "${manager}" is not supported yet`, {
        hint: 'use command with the tool of that manager',
      });
    }
    return {
      module: 'systemd_service',
      args: {
        name,
        ...(state !== undefined && { state }),
        ...(enabled !== undefined && { enabled }),
      },
    };
  },
});
