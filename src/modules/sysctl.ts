import { change, defineModule, type Effect, run, TaskError } from '../engine/module.ts';
import { boolean, choice, object, optional, path, string } from '../shared/schema.ts';
import { type Command, sh } from '../shared/shell.ts';
import { sameSysctl, sysctlPath, sysctlValue, withSysctl } from './support/sysctl-file.ts';
import { readTextFile, rewritten, type TextFile } from './support/text-file.ts';

interface Args {
  readonly name: string;
  readonly value: string | undefined;
  readonly state: 'present' | 'absent';
  readonly sysctl_file: string;
  readonly reload: boolean;
  readonly sysctl_set: boolean;
  readonly ignoreerrors: boolean;
}

interface State {
  readonly file: TextFile;
  /** The value in the running kernel; null where it has no such parameter. */
  readonly live: string | null;
}

export const sysctl = defineModule({
  name: 'sysctl',
  aliases: ['ansible.posix.sysctl'],
  summary: 'Keep a kernel parameter, at boot and in the running kernel.',

  args: object({
    name: string('Parameter, e.g. `net.ipv4.ip_forward`.', { aliases: ['key'] }),
    value: optional(string('Its value.', { aliases: ['val'] })),
    state: choice(['present', 'absent'], 'Whether the file sets it.', { default: 'present' }),
    sysctl_file: path('File that sets it at boot.', { default: '/etc/sysctl.conf' }),
    reload: boolean(
      'Load the file with `sysctl -p` where something changed or the kernel differs.',
      {
        default: true,
      },
    ),
    sysctl_set: boolean('Set it in the running kernel with `sysctl -w` where that differs.', {
      default: false,
    }),
    ignoreerrors: boolean('Leave parameters alone that the running kernel does not have.', {
      default: false,
    }),
  }),
  requiredIf: [{ argument: 'state', value: 'present', needs: ['value'] }],

  examples: [
    {
      title: 'Forward packets',
      args: {
        name: 'net.ipv4.ip_forward',
        value: '1',
        sysctl_file: '/etc/sysctl.d/90-forward.conf',
      },
    },
    { title: 'Set no swappiness any more', args: { name: 'vm.swappiness', state: 'absent' } },
  ],

  returns: {},

  async probe(host, { name, sysctl_file: file }: Args): Promise<State> {
    const key = name.trim();
    const [text, output] = await Promise.all([
      readTextFile(host, file),
      host.read(sh`cat ${`/proc/sys/${sysctlPath(key)}`}`),
    ]);
    const predicted = host.predicted('sysctl', key);
    const real = output.code === 0 ? output.stdout.trim() : null;
    return { file: text, live: predicted?.value ?? real };
  },

  plan(now, args) {
    const { name, value } = wish(args);
    const edit = planFile(now.file, name, value);
    const drifts = value !== undefined && isOther(now, value, args);
    const sets = args.sysctl_set && drifts;
    const reloads = args.reload && (edit.steps.length > 0 || drifts);
    const steps = [
      sets &&
        run(sysctlCall(['-w', `${name}=${value}`], args), { failure: `setting ${name} failed` }),
      ...edit.steps,
      reloads &&
        run(sysctlCall(['-p', args.sysctl_file], args), { failure: 'Failed to reload sysctl' }),
    ];
    const live = value !== undefined && (sets || reloads) ? value : now.live;
    const effects = [...edit.effects, ...liveEffect(now, name, live)];
    return change(now, { file: edit.file, live }, steps, { effects });
  },
});

function planFile(file: TextFile, name: string, value: string | undefined) {
  if (sysctlValue(file.text, name) === value) return { file, steps: [], effects: [] };
  const edit = rewritten(file, withSysctl(file.text, name, value));
  return { file: edit.file, steps: [edit.step], effects: [edit.effect] };
}

/** The key, and the value that it is to have, if any. Throws TaskError where one is blank. */
function wish({ name, value = '', state }: Args): {
  readonly name: string;
  readonly value?: string;
} {
  const key = name.trim();
  if (key === '') throw new TaskError('name cannot be blank');
  if (state === 'absent') return { name: key };
  const wanted = normalized(value);
  if (wanted === '') throw new TaskError('value cannot be blank');
  return { name: key, value: wanted };
}

/** Truth values become 1 and 0, as a kernel wants them. */
function normalized(value: string): string {
  const text = value.trim();
  if (/^(y|yes|on|true|t)$/i.test(text)) return '1';
  return /^(n|no|off|false|f)$/i.test(text) ? '0' : text;
}

/** Whether the kernel has another value; one that it cannot have is no reason to try again and again. */
function isOther({ live }: State, value: string, { ignoreerrors }: Args): boolean {
  return live === null ? !ignoreerrors : !sameSysctl(live, value);
}

function liveEffect(now: State, name: string, live: string | null): Effect[] {
  return live === now.live || live === null ? [] : [{ kind: 'sysctl', name, value: live }];
}

function sysctlCall(words: readonly string[], { ignoreerrors }: Args): Command {
  return sh`sysctl ${[...(ignoreerrors ? ['-e'] : []), ...words]}`;
}
