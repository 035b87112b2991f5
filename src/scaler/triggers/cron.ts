import { Cron } from 'croner';
import { defineTrigger, integer, type Reading, text } from '../trigger.ts';

export const cron = defineTrigger({
  type: 'cron',
  summary: 'Asks for a number of replicas between two times that come again and again.',
  canCache: false,
  notes: [
    'The five fields take numbers, names (`mon`, `jan`), ranges, lists and steps; there are no seconds, and no names such as `@daily`. Where both the day of month and the day of week are given, either is enough.',
    'A time that the clocks jump over in spring counts as the moment after the jump. KEDA passes over such a time on that day.',
  ],

  parameters: {
    start: text('When it begins: minute, hour, day of month, month, day of week.'),
    end: text('When it ends, written like the start.'),
    timezone: text('Time zone of both, a name such as Europe/Berlin.'),
    desiredReplicas: integer('Replicas from start to end.'),
  },

  check: ({ start, end, desiredReplicas }) => [
    ...checkSchedule('start', start),
    ...checkSchedule('end', end),
    ...(start === end ? [`start and end must differ, and both are "${start}"`] : []),
    ...(desiredReplicas === 0 ? [tooFew(0)] : []),
  ],
  checkSource: ({ timezone, desiredReplicas }) => [
    ...checkTimeZone(timezone),
    ...(desiredReplicas < 0 ? [tooFew(desiredReplicas)] : []),
  ],

  metric: ({ start, end, timezone }) => ({
    kind: 'external',
    name: `cron-${timezone}-${nameOf(start)}-${nameOf(end)}`,
    target: 1,
  }),

  readingAt,

  open: (values, { now }) => ({
    read: async () => readingAt(values, now()),
    close: async () => {}, // Nothing is kept open.
  }),
});

interface Schedule {
  readonly start: string;
  readonly end: string;
  readonly timezone: string;
  readonly desiredReplicas: number;
}

function readingAt({ start, end, timezone, desiredReplicas }: Schedule, now: Date): Reading {
  const isActive = isWithin(schedule(start, timezone), schedule(end, timezone), now);
  return { value: isActive ? desiredReplicas : 0, isActive };
}

function tooFew(count: number): string {
  return `desiredReplicas must be at least 1 and not "${count}"`;
}

/** What comes next is the end. A time that never comes again (30 February) is later than any. */
function isWithin(starts: Cron, ends: Cron, now: Date): boolean {
  const end = ends.nextRun(now);
  const start = starts.nextRun(now);
  return end !== null && (start === null || end <= start);
}

/** The limits and names of the five fields. */
const FIELDS: readonly (readonly [first: number, last: number, names: string])[] = [
  [0, 59, ''],
  [0, 23, ''],
  [1, 31, ''],
  [1, 12, 'jan feb mar apr may jun jul aug sep oct nov dec'],
  [0, 6, 'sun mon tue wed thu fri sat'],
];
const PART = /^(?:[*?]|([a-z]+|\d+)(?:-([a-z]+|\d+))?)(?:\/(\d+))?$/i;

function checkSchedule(name: string, expression: string): readonly string[] {
  const fields = expression.split(/\s+/);
  const wrong = fields.find((field, position) => !isField(field, position));
  if (fields.length === FIELDS.length && wrong === undefined) return [];
  const reason =
    fields.length === FIELDS.length ? `"${wrong}" cannot be read` : 'it needs 5 fields';
  return [
    `${name} must be minute, hour, day of month, month and day of week, such as "0 8 * * 1-5", ` +
      `and not "${expression}": ${reason}`,
  ];
}

function isField(field: string, position: number): boolean {
  const [first, last] = FIELDS[position] ?? [0, -1];
  return field.split(',').every((part) => {
    const match = PART.exec(part);
    if (match === null || match[3] === '0') return false;
    const from = numberOf(match[1], position) ?? first;
    const to = numberOf(match[2], position) ?? from;
    return from >= first && to <= last && from <= to;
  });
}

function numberOf(text: string | undefined, position: number): number | undefined {
  if (text === undefined || /^\d+$/.test(text)) return text === undefined ? text : Number(text);
  const [first = 0, , names = ''] = FIELDS[position] ?? [];
  const found = names.split(' ').indexOf(text.toLowerCase());
  return found < 0 ? Number.NaN : found + first;
}

function checkTimeZone(timezone: string): readonly string[] {
  try {
    new Intl.DateTimeFormat('en', { timeZone: timezone });
    return [];
  } catch {
    return [
      `timezone must be the name of a time zone, such as Europe/Berlin, and not "${timezone}"`,
    ];
  }
}

/** croner takes `?` for the present time, and a step only after a range. */
function schedule(expression: string, timezone: string): Cron {
  const fields = expression
    .split(/\s+/)
    .map((field, position) =>
      field.replaceAll('?', '*').replace(/(^|,)(\w+)\/(\d+)/g, `$1$2-${FIELDS[position]?.[1]}/$3`),
    );
  return new Cron(fields.join(' '), { timezone, paused: true, mode: '5-part' });
}

/** As it stands in the name of the metric. */
function nameOf(expression: string): string {
  return expression
    .replace(/\s+/g, '')
    .replaceAll('*', 'x')
    .replaceAll('/', 'Sl')
    .replaceAll('?', 'Qm')
    .replaceAll(',', 'Cm');
}
