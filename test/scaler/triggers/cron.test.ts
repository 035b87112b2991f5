import { expect } from 'chai';
import { cron } from '../../../src/scaler/triggers/cron.ts';
import { configureTrigger } from '../../support/scaler/configure-trigger.ts';
import { readTrigger } from '../../support/scaler/read-trigger.ts';

const office = {
  start: '0 8 * * 1-5',
  end: '0 18 * * 1-5',
  timezone: 'Europe/Berlin',
  desiredReplicas: '4',
};

describe('trigger cron', () => {
  const CASES: readonly (readonly [string, Partial<typeof office>, string, number])[] = [
    ['before the start', {}, '2026-11-23T06:59:59Z', 0],
    ['at the start', {}, '2026-11-23T07:00:00Z', 4],
    ['after the start', {}, '2026-11-23T07:00:01Z', 4],
    ['at the end', {}, '2026-11-23T17:00:00Z', 0],
    ['on a day without', {}, '2026-11-22T12:00:00Z', 0],
    ['in another time zone', { timezone: 'America/New_York' }, '2026-11-23T13:30:00Z', 4],
    ['in UTC', { timezone: 'UTC' }, '2026-11-23T07:30:00Z', 0],
    ['in summer', {}, '2026-07-01T06:30:00Z', 4],
    ['over midnight', { start: '0 22 * * *', end: '0 6 * * *' }, '2026-11-23T03:00:00Z', 4],
    ['by names', { start: '0 8 * * MON', end: '0 18 * JAN-DEC mon' }, '2026-11-23T09:00:00Z', 4],
    ['by steps', { start: '*/20 * * * *', end: '10/20 * * * *' }, '2026-11-23T09:25:00Z', 4],
    ['between steps', { start: '*/20 * * * *', end: '10/20 * * * *' }, '2026-11-23T09:35:00Z', 0],
    ['on any day by ?', { start: '0 8 ? * *', end: '0 18 * * ?' }, '2026-11-23T09:00:00Z', 4],
    [
      'on a day of the month or of the week',
      { start: '0 8 22 * 1', end: '0 18 22 * 1' },
      '2026-11-22T09:00:00Z',
      4,
    ],
    // 02:30 does not exist on 29 March: the window opens when the clocks have been put forward.
    ['before a gap', { start: '30 2 * * *' }, '2026-03-29T00:59:00Z', 0],
    ['after a gap', { start: '30 2 * * *', end: '0 18 * * *' }, '2026-03-29T01:01:00Z', 4],
    // 02:30 comes twice on 25 October.
    [
      'in the first of two equal hours',
      { start: '30 2 * * *', end: '0 18 * * *' },
      '2026-10-25T00:31:00Z',
      4,
    ],
    [
      'in the second of two equal hours',
      { start: '30 2 * * *', end: '0 18 * * *' },
      '2026-10-25T01:31:00Z',
      4,
    ],
    ['where the start never comes', { start: '0 0 30 2 *' }, '2026-11-23T09:00:00Z', 4],
    ['where the end never comes', { end: '0 0 30 2 *' }, '2026-11-23T09:00:00Z', 0],
  ];
  for (const [title, change, now, expected] of CASES) {
    it(`gives ${expected} ${title}`, async () => {
      const given = { metadata: { ...office, ...change } };
      const reading = await readTrigger(cron, given, { now: () => new Date(now) });
      expect(reading).to.deep.equal({ value: expected, isActive: expected > 0 });
    });
  }

  it('names its metric after zone, start and end', () => {
    const metadata = { ...office, start: '*/5 8,9 ? * 1-5' };
    expect(configureTrigger(cron, { metadata }).metric).to.deep.equal({
      kind: 'external',
      name: 'cron-Europe/Berlin-xSl58Cm9Qmx1-5-018xx1-5',
      target: 1,
    });
  });

  const schedule = (name: string, expression: string, reason: string) =>
    `${name} must be minute, hour, day of month, month and day of week, such as "0 8 * * 1-5", ` +
    `and not "${expression}": ${reason}`;
  const INVALID: readonly (readonly [Partial<typeof office>, string])[] = [
    [{ start: '0 8 * *' }, schedule('start', '0 8 * *', 'it needs 5 fields')],
    [{ end: '@daily' }, schedule('end', '@daily', 'it needs 5 fields')],
    [{ start: '0 0 8 * * 1' }, schedule('start', '0 0 8 * * 1', 'it needs 5 fields')],
    [{ start: '60 8 * * *' }, schedule('start', '60 8 * * *', '"60" cannot be read')],
    [{ start: '0 8 * * 7' }, schedule('start', '0 8 * * 7', '"7" cannot be read')],
    [{ start: '0 8 * FOO *' }, schedule('start', '0 8 * FOO *', '"FOO" cannot be read')],
    [{ start: '0 8 L * *' }, schedule('start', '0 8 L * *', '"L" cannot be read')],
    [{ start: '*/0 8 * * *' }, schedule('start', '*/0 8 * * *', '"*/0" cannot be read')],
    [{ start: '0 18-8 * * *' }, schedule('start', '0 18-8 * * *', '"18-8" cannot be read')],
    [{ end: office.start }, `start and end must differ, and both are "${office.start}"`],
    [
      { timezone: 'Berlin' },
      'timezone must be the name of a time zone, such as Europe/Berlin, and not "Berlin"',
    ],
    [{ desiredReplicas: '0' }, 'desiredReplicas must be at least 1 and not "0"'],
    [{ desiredReplicas: '2.5' }, 'desiredReplicas must be an integer and not "2.5"'],
  ];
  for (const [change, problem] of INVALID) {
    it(`refuses ${JSON.stringify(change)}`, () => {
      expect(configureTrigger(cron, { metadata: { ...office, ...change } }).problems).to.deep.equal(
        [problem],
      );
    });
  }
});
