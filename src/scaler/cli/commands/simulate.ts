/** `tsprov-scaler simulate`: the replicas that a ScaledObject would have had with given values. */
import { Command, InvalidArgumentError } from 'commander';
import { parseLongDuration } from '../../../shared/duration.ts';
import { InvalidInput } from '../../../shared/errors.ts';
import { checkManifests } from '../../manifest/check-manifests.ts';
import { readManifests } from '../../manifest/read-manifests.ts';
import { namesFor } from '../../names.ts';
import type { ScaledObject } from '../../resources/scaled-object.ts';
import { clockSeries } from '../../simulate/clock-series.ts';
import { DEFAULT_CONTROLLER } from '../../simulate/hpa.ts';
import { renderSvg } from '../../simulate/render-chart.ts';
import { renderCsv, renderTable } from '../../simulate/render-timeline.ts';
import { parseSeries, type Series } from '../../simulate/series.ts';
import { simulateTimeline, type Timeline } from '../../simulate/timeline.ts';
import { triggers } from '../../triggers/registry.ts';
import { addCompatibility, type CompatibilityFlags, outputOption } from '../options.ts';
import { readInputs } from '../read-input.ts';

interface Flags extends CompatibilityFlags {
  readonly values?: string;
  readonly start?: Date;
  readonly name?: string;
  readonly replicas?: number;
  readonly startup: number;
  readonly duration?: number;
  readonly syncPeriod: number;
  readonly stabilization: number;
  readonly tolerance: number;
  readonly output: 'table' | 'csv' | 'svg';
}

const DAY_MS = 86_400_000;
const { syncPeriodMs, downscaleStabilizationMs, tolerance } = DEFAULT_CONTROLLER;

export function simulateCommand(): Command {
  const command = new Command()
    .description(
      'Show how many replicas a ScaledObject would have had: the decisions of the operator and the algorithm of the HPA, on values of its triggers over time.',
    )
    .argument('<file>', 'manifest with the ScaledObject, or - for the standard input')
    .option(
      '--values <file>',
      'CSV: the time (seconds, 1m30s, or a moment), then a column for each trigger by its name, its type or s<index>; an empty cell is a source that cannot be read; not needed where only the clock matters, as for cron',
    )
    .option('--start <moment>', 'without values: when it begins (default: now)', moment)
    .option('--name <name>', 'the ScaledObject, where the manifest holds several')
    .option('--replicas <count>', 'replicas at the start (default: the least)', count)
    .option('--startup <duration>', 'from the creation of a pod until it is ready', milliseconds, 0)
    .option(
      '--duration <duration>',
      'how long to go on (default: until the last values, without values 1d)',
      milliseconds,
    )
    .option(
      '--sync-period <duration>',
      'how often the HPA looks (default: 15s)',
      period,
      syncPeriodMs,
    )
    .option(
      '--stabilization <duration>',
      'window of the HPA for scaling in, where the object has none (default: 5m)',
      milliseconds,
      downscaleStabilizationMs,
    )
    .option('--tolerance <share>', 'deviation that the HPA puts up with', share, tolerance)
    .addOption(outputOption(['table', 'csv', 'svg']));
  return addCompatibility(command).action(async (file: string, flags: Flags) => {
    const manifests = await readOne(file);
    const object = findObject(manifests.text, manifests.file, flags);
    process.stdout.write(render(await simulate(object, flags), object, flags));
  });
}

async function readOne(name: string) {
  const inputs = await readInputs([name]);
  const [input] = inputs;
  if (input === undefined || inputs.length > 1) {
    throw new InvalidInput([{ message: `${name} must be one file` }]);
  }
  return input;
}

function findObject(text: string, file: string, { compat, name }: Flags): ScaledObject {
  const read = readManifests(text, file);
  const checked = checkManifests(read.manifests, triggers, compat);
  const problems = [...read.problems, ...checked.problems];
  if (problems.length > 0) throw new InvalidInput(problems);
  const found = checked.scaledObjects.filter(
    ({ metadata }) => name === undefined || metadata.name === name,
  );
  const [object] = found;
  if (object !== undefined && found.length === 1) return object;
  const names = checked.scaledObjects.map(({ metadata }) => metadata.name).join(', ');
  throw new InvalidInput([
    object === undefined
      ? {
          message: `${file} has no ScaledObject${name === undefined ? '' : ` "${name}"`}`,
          hint: names,
        }
      : { message: `${file} has several ScaledObjects`, hint: `choose with --name: ${names}` },
  ]);
}

async function simulate(object: ScaledObject, flags: Flags): Promise<Timeline> {
  const values = flags.values === undefined ? undefined : await readOne(flags.values);
  const given = values && parseSeries(values.text, values.file);
  try {
    const series = given ?? seriesOfClock(object, flags);
    return simulateTimeline({
      object,
      triggers,
      names: namesFor(flags.compat),
      series,
      controller: {
        syncPeriodMs: flags.syncPeriod,
        downscaleStabilizationMs: flags.stabilization,
        tolerance: flags.tolerance,
      },
      replicas: flags.replicas ?? object.spec.minReplicaCount ?? 0,
      startupMs: flags.startup,
      durationMs: flags.duration ?? given?.rows.at(-1)?.atMs ?? DAY_MS,
    });
  } catch (cause) {
    throw new InvalidInput([{ message: (cause as Error).message }], { cause });
  }
}

function seriesOfClock(object: ScaledObject, { start, duration = DAY_MS }: Flags): Series {
  return clockSeries(object, triggers, start ?? new Date(), duration);
}

function render(timeline: Timeline, { metadata }: ScaledObject, { output }: Flags): string {
  if (output === 'csv') return renderCsv(timeline);
  return output === 'svg' ? renderSvg(timeline, metadata.name) : renderTable(timeline);
}

function milliseconds(text: string): number {
  const given = parseLongDuration(text);
  if (given === undefined) throw new InvalidArgumentError('Write a duration such as 30s or 3d.');
  return given;
}

function moment(text: string): Date {
  const given = new Date(text);
  if (!/^\d{4}-\d\d-\d\d/.test(text) || Number.isNaN(given.getTime()))
    throw new InvalidArgumentError('Write a moment such as 2026-01-02T03:04:05Z.');
  return given;
}

function period(text: string): number {
  const given = milliseconds(text);
  if (given < 1000) throw new InvalidArgumentError('Write at least 1s.');
  return given;
}

function count(text: string): number {
  if (!/^\d{1,9}$/.test(text)) throw new InvalidArgumentError('Write a whole number.');
  return Number(text);
}

function share(text: string): number {
  if (!/^(?:\d+\.?\d*|\.\d+)$/.test(text))
    throw new InvalidArgumentError('Write a share such as 0.1.');
  return Number(text);
}
