/** The recap: one line of counters for each host. */
import type { HostStats } from '../../engine/run/events.ts';
import type { Paint, Palette } from './palette.ts';

/** Lines of the recap, by host name; counters of zero have no colour. */
export function recapLines(stats: ReadonlyMap<string, HostStats>, paint: Palette): string[] {
  return [...stats]
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([host, counts]) => recapLine(host, counts, paint));
}

function recapLine(host: string, counts: HostStats, paint: Palette): string {
  const cell = (label: keyof HostStats, colour: Paint) => {
    const text = `${label}=${String(counts[label]).padEnd(4)}`;
    return counts[label] === 0 ? text : colour(text);
  };
  const cells = [
    cell('ok', paint.ok),
    cell('changed', paint.changed),
    cell('unreachable', paint.unreachable),
    cell('failed', paint.failed),
    cell('skipped', paint.skip),
    cell('rescued', paint.ok),
    cell('ignored', paint.warn),
  ];
  return `${nameColour(counts, paint)(host.padEnd(26))} : ${cells.join(' ')}`;
}

function nameColour({ failed, unreachable, changed }: HostStats, paint: Palette): Paint {
  if (failed > 0 || unreachable > 0) return paint.failed;
  return changed > 0 ? paint.changed : paint.ok;
}
