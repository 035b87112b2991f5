/** Rows of docs/differences-keda.md, and the differences that they are about. */
import type { Difference } from './compare.ts';

const OUTCOMES: Readonly<Record<string, (difference: Difference) => boolean>> = {
  'reasons-given': ({ member, keda, ours }) =>
    member.startsWith('condition ') && !/ /.test(String(keda)) && startsWith(ours, keda),
  'fallback-known': ({ member, keda, ours }) =>
    member === 'condition Fallback' && keda === 'Unknown' && ours === 'False NoFallbackFound',
  'types-always': ({ member, keda }) => member === 'status.triggersTypes' && keda === undefined,
  'jobs-without-fallback': ({ name, member }) =>
    name.startsWith('job-') && member === 'condition Fallback',
  'metric-names-of-jobs': ({ name, member }) =>
    name.startsWith('job-') && member === 'status.externalMetricNames',
};

const SERIES: Readonly<Record<string, (series: string) => boolean>> = {
  'runtime-named': (series) => series.startsWith('keda_build_info{'),
};

export const DIFFERENCES = [...Object.keys(OUTCOMES), ...Object.keys(SERIES)];

/** The row that tells of a difference between outcomes. */
export function differenceOf(difference: Difference): string | undefined {
  return Object.keys(OUTCOMES).find((id) => OUTCOMES[id]?.(difference));
}

/** The row that tells of a series that is not ours. */
export function seriesDifferenceOf(series: string): string | undefined {
  return Object.keys(SERIES).find((id) => SERIES[id]?.(series));
}

function startsWith(text: unknown, beginning: unknown): boolean {
  return typeof text === 'string' && text.startsWith(`${beginning} `);
}
