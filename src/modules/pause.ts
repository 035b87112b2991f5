import { type Conversation, defineConversation } from '../engine/module.ts';
import { boolean, type Infer, number, object, optional, string } from '../shared/schema.ts';

const args = object({
  prompt: optional(string('What the person at the terminal is told or asked.')),
  seconds: optional(number('How long to wait; a fraction is cut off.')),
  minutes: optional(number('How long to wait.')),
  echo: boolean('Whether what the person types is shown.', { default: true }),
});
type Args = Infer<typeof args>;

export const pause = defineConversation({
  name: 'pause',
  aliases: ['ansible.builtin.pause'],
  summary: 'Wait for some time, or for the person at the terminal.',
  args,
  mutuallyExclusive: [['seconds', 'minutes']],
  local: true,
  once: true,

  examples: [
    { title: 'Wait for a minute and a half', args: { seconds: 90 } },
    { title: 'Ask before going on', args: { prompt: 'Is the console open?' } },
  ],

  returns: {
    user_input: 'What was typed.',
    start: 'When the pause began.',
    stop: 'When it ended.',
    delta: 'Seconds that it took.',
    stdout: 'The same in words.',
    stderr: 'Nothing.',
    rc: 'Always 0.',
    echo: 'The argument `echo`.',
  },

  async run(talk, given) {
    const start = talk.now();
    const waitSeconds = durationOf(given);
    const input = waitSeconds === undefined ? await ask(talk, given) : '';
    if (waitSeconds !== undefined) await count(talk, given, waitSeconds);
    const stop = talk.now();
    const elapsed = (stop.getTime() - start.getTime()) / 1000;
    const isMinutes = given.seconds === undefined;
    const amount = Math.round((isMinutes ? elapsed / 60 : elapsed) * 100) / 100;
    const text = Number.isInteger(amount) ? amount.toFixed(1) : String(amount);
    return {
      result: {
        echo: given.echo,
        start: localTime(start),
        stop: localTime(stop),
        delta: Math.floor(elapsed),
        rc: 0,
        stdout: `Paused for ${text} ${isMinutes ? 'minutes' : 'seconds'}`,
        stderr: '',
        user_input: input ?? '',
        ...(input === undefined && {
          warnings: ['Not waiting for response to prompt as stdin is not interactive'],
        }),
      },
    };
  },
});

/** Whole seconds, at least one; undefined where there is no limit. */
function durationOf({ seconds, minutes }: Args): number | undefined {
  if (seconds === undefined && minutes === undefined) return undefined;
  return Math.max(1, Math.floor(seconds ?? (minutes ?? 0) * 60));
}

/** What the person typed; undefined where nobody is there. */
async function ask(talk: Conversation, { prompt, echo }: Args): Promise<string | undefined> {
  const question = prompt ?? 'Press enter to continue, Ctrl+C to interrupt';
  const hidden = echo ? '' : ' (output is hidden)';
  return talk.ask?.(`${question}${hidden}:`, { echo });
}

async function count(talk: Conversation, { prompt, echo }: Args, seconds: number): Promise<void> {
  talk.say(`Pausing for ${seconds} seconds${echo ? '' : ' (output is hidden)'}`);
  if (prompt !== undefined) talk.say(`${prompt}:`);
  await talk.sleep(seconds * 1000);
}

/** `2026-01-31 23:59:59.123000`, as Python prints the local time. */
function localTime(date: Date): string {
  const two = (value: number) => String(value).padStart(2, '0');
  const day = [date.getFullYear(), two(date.getMonth() + 1), two(date.getDate())].join('-');
  const clock = [two(date.getHours()), two(date.getMinutes()), two(date.getSeconds())].join(':');
  const milliseconds = date.getMilliseconds();
  return `${day} ${clock}${milliseconds === 0 ? '' : `.${String(milliseconds * 1000).padStart(6, '0')}`}`;
}
