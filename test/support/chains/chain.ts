/** Random chains of tasks: what they are, and how they become a playbook. */
import fc from 'fast-check';
import { stringify } from 'yaml';

/** A task as data: its module, arguments and keywords. */
export interface ChainTask {
  readonly module: string;
  readonly args: Readonly<Record<string, unknown>>;
  readonly keywords?: Readonly<Record<string, unknown>>;
  /** Acts at every run (a command, a touch): a repetition changes something again. */
  readonly always?: boolean;
  /** Nobody can know what it does before it has been done. */
  readonly opaque?: boolean;
}

/** A task with its place in the chain. */
export interface Link {
  readonly task: ChainTask;
  /** It stands twice, one right after the other: the second time it has nothing to do. */
  readonly twice: boolean;
  /** It runs only if the last task that could, has changed something. */
  readonly onChange: boolean;
  readonly notifies: boolean;
  /** It stands in a block: another task follows where it goes well, and a rescue where it fails. */
  readonly isRescued: boolean;
}

export type Chain = readonly Link[];

/** Chains of tasks of one kind or another. */
export function chains(task: fc.Arbitrary<ChainTask>, maxLength: number): fc.Arbitrary<Chain> {
  const rarely = (weight: number) => fc.integer({ min: 0, max: weight }).map((n) => n === weight);
  const link = fc.record({
    task,
    twice: rarely(3),
    onChange: rarely(9),
    notifies: rarely(9),
    isRescued: rarely(9),
  });
  return fc.array(link, { minLength: 1, maxLength, size: 'max' });
}

/** The task that looks at everything in the end. */
export const LOOK = 'look';

/**
 * The playbook of a chain. Every task may fail, so that the ones after it are compared too; in the end it looks at
 * `paths`.
 */
export function playbookOf(chain: Chain, paths: readonly string[], more: object = {}): string {
  const play = {
    hosts: 'all',
    gather_facts: false,
    ...more,
    tasks: [
      ...chain.flatMap((link, i) => tasksOf(link, i)),
      { name: 'handlers', meta: 'flush_handlers' },
      {
        name: LOOK,
        stat: { path: '{{ item }}', get_checksum: true, get_mime: false },
        loop: paths,
        ignore_errors: true,
      },
    ],
    handlers: [
      {
        name: 'handler',
        copy: { content: 'handled\n', dest: '{{ dir }}/handled', mode: '0600' },
        ignore_errors: true,
      },
    ],
  };
  return stringify([play], { lineWidth: 0 });
}

function tasksOf({ task, twice, onChange, notifies, isRescued }: Link, i: number): object[] {
  const { module, args, keywords } = task;
  const conditions = [keywords?.['when'], onChange && 'last is changed'].filter(Boolean);
  const body = {
    [module]: args,
    ...keywords,
    ignore_errors: true,
    ...(conditions.length > 0 && { when: conditions }),
    ...(notifies && { notify: 'handler' }),
  };
  const first = { name: `t${i}`, ...body, ...(!('register' in body) && { register: 'last' }) };
  if (isRescued) return [rescued(first, i)];
  return twice ? [first, { name: `t${i} again`, ...body }] : [first];
}

/** Marks the end of its names: whether it runs at all is decided by the task before. */
export const FOLLOWING = / (?:then|rescued)$/;

function rescued({ ignore_errors: _, ...first }: { ignore_errors: boolean }, i: number): object {
  const mark = (name: string) => ({
    name: `t${i} ${name}`,
    copy: { content: `${name}\n`, dest: `{{ dir }}/${name}` },
    ignore_errors: true,
  });
  return { block: [first, mark('then')], rescue: [mark('rescued')] };
}
