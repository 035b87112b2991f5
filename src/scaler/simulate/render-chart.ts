/** A simulated timeline as a picture: replicas above, the values of the triggers below. */
import { renderLegend } from './render-legend.ts';
import { formatTime } from './render-timeline.ts';
import { escapeXml, round, text } from './svg.ts';
import type { Timeline, TimelinePoint } from './timeline.ts';

const WIDTH = 960;
const LEFT = 56;
const RIGHT = 16;
const REPLICAS = { top: 40, height: 240 };
const VALUES = { top: 340, height: 160 };
const LEGEND_TOP = 552;
const COLOURS = ['#0b7285', '#c2255c', '#5f3dc4', '#e8590c', '#2b8a3e', '#495057'];
const REPLICA_COLOUR = '#1c7ed6';
const READY_COLOUR = '#a5d8ff';
const GAP_COLOUR = '#ffe3e3';
const MARKS = 8;

interface Panel {
  readonly top: number;
  readonly height: number;
}
interface Scale {
  readonly panel: Panel;
  readonly endMs: number;
  readonly most: number;
}

/** An SVG document. Each trigger's values are drawn up to their own highest. */
export function renderSvg(timeline: Timeline, title: string): string {
  const { points, columns } = timeline;
  const endMs = Math.max(1, points.at(-1)?.atMs ?? 0);
  const most = Math.max(1, highest(points.map(({ replicas }) => replicas)));
  const replicas: Scale = { panel: REPLICAS, endMs, most };
  const lines = columns.map((column, index) => {
    const colour = COLOURS[index % COLOURS.length] ?? '';
    const top = highest(points.map(({ values }) => values[index] ?? 0));
    const scale = { panel: VALUES, endMs, most: top || 1 };
    const line = steps(points, scale, ({ values }) => values[index], `stroke="${colour}"`);
    return { colour, line, label: `${column} (up to ${top})` };
  });
  const unreadable = gaps(points).map(([fromMs, toMs]) => span(fromMs, toMs, replicas));
  const legend = renderLegend(
    [
      { colour: REPLICA_COLOUR, label: 'replicas' },
      { colour: READY_COLOUR, label: 'ready replicas' },
      ...lines,
      ...(unreadable.length > 0 ? [{ colour: GAP_COLOUR, label: 'a source cannot be read' }] : []),
    ],
    { left: LEFT, top: LEGEND_TOP, width: WIDTH - LEFT - RIGHT },
  );
  const height = LEGEND_TOP + legend.height;
  const parts = [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${WIDTH} ${height}" width="${WIDTH}" height="${height}" font-family="sans-serif" font-size="12">`,
    `<title>${escapeXml(title)}</title>`,
    `<rect width="${WIDTH}" height="${height}" fill="#ffffff"/>`,
    ...unreadable,
    text(LEFT, 20, title, 'font-size="15" fill="#212529"'),
    grid(
      replicas,
      ticks(most).map((value) => [value, String(value)] as const),
    ),
    steps(
      points,
      replicas,
      (point) => point.readyReplicas,
      `stroke="${READY_COLOUR}" stroke-width="6"`,
    ),
    steps(points, replicas, (point) => point.replicas, `stroke="${REPLICA_COLOUR}"`),
    grid({ panel: VALUES, endMs, most: 1 }, []),
    ...lines.map(({ line }) => line),
    timeAxis(endMs),
    legend.svg,
    '</svg>',
  ];
  return `${parts.join('\n')}\n`;
}

/** A line that keeps its height until the next point; broken where there is no value. */
function steps(
  points: readonly TimelinePoint[],
  scale: Scale,
  read: (point: TimelinePoint) => number | undefined,
  style: string,
): string {
  let path = '';
  let isDrawing = false;
  for (const point of points) {
    const value = read(point);
    if (isDrawing) path += `H${xOf(point.atMs, scale)}`;
    if (value !== undefined)
      path += `${isDrawing ? 'V' : `M${xOf(point.atMs, scale)} `}${yOf(value, scale)}`;
    isDrawing = value !== undefined;
  }
  const styled = style.includes('stroke-width') ? style : `${style} stroke-width="2"`;
  return `<path d="${path}" fill="none" ${styled}/>`;
}

function grid(scale: Scale, marks: readonly (readonly [value: number, label: string])[]): string {
  const { panel } = scale;
  const base = panel.top + panel.height;
  const lines = marks.map(([value, label]) => {
    const y = yOf(value, scale);
    const line = `<path d="M${LEFT} ${y}H${WIDTH - RIGHT}" stroke="#e9ecef"/>`;
    return `${line}\n${text(LEFT - 8, y + 4, label, 'text-anchor="end" fill="#868e96"')}`;
  });
  return [...lines, `<path d="M${LEFT} ${base}H${WIDTH - RIGHT}" stroke="#adb5bd"/>`].join('\n');
}

function timeAxis(endMs: number): string {
  const scale: Scale = { panel: VALUES, endMs, most: 1 };
  return Array.from({ length: MARKS + 1 }, (_, index) => {
    const atMs = (endMs * index) / MARKS;
    // In the middle, the last one would not fit into the picture.
    const anchor = index === MARKS ? 'end' : 'middle';
    const style = `text-anchor="${anchor}" fill="#868e96"`;
    return text(xOf(atMs, scale), VALUES.top + VALUES.height + 20, formatTime(atMs), style);
  }).join('\n');
}

/** From when to when some source could not be read. */
function gaps(points: readonly TimelinePoint[]): readonly (readonly [number, number])[] {
  const found: [number, number][] = [];
  for (const [index, { atMs, values }] of points.entries()) {
    if (values.every((value) => value !== undefined)) continue;
    const endMs = points[index + 1]?.atMs ?? atMs;
    const last = found.at(-1);
    if (last !== undefined && last[1] === atMs) last[1] = endMs;
    else found.push([atMs, endMs]);
  }
  return found;
}

/** Over the heights of both panels. */
function span(fromMs: number, toMs: number, scale: Scale): string {
  const [left, right] = [xOf(fromMs, scale), xOf(toMs, scale)];
  const { top } = REPLICAS;
  const height = VALUES.top + VALUES.height - top;
  const width = Math.max(1, round(right - left));
  return `<rect x="${left}" y="${top}" width="${width}" height="${height}" fill="${GAP_COLOUR}"/>`;
}

function highest(numbers: readonly number[]): number {
  return numbers.reduce((most, each) => Math.max(most, each), 0);
}

/** Some five whole numbers up to the highest. */
function ticks(most: number): readonly number[] {
  const step = Math.max(1, Math.ceil(most / 5));
  return Array.from({ length: Math.floor(most / step) + 1 }, (_, index) => index * step);
}

function xOf(atMs: number, { endMs }: Scale): number {
  return round(LEFT + (atMs / endMs) * (WIDTH - LEFT - RIGHT));
}

function yOf(value: number, { panel, most }: Scale): number {
  return round(panel.top + panel.height * (1 - value / most));
}
