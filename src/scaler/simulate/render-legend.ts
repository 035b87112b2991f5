/** What the colours of a picture mean. */
import { text } from './svg.ts';

interface Entry {
  readonly colour: string;
  readonly label: string;
}
interface Place {
  readonly left: number;
  readonly top: number;
  readonly width: number;
}

const LINE_HEIGHT = 20;
const SWATCH = 12;
/** More than most letters need. */
const LETTER_WIDTH = 7;
const GAP = 24;

/** Entries side by side, in as many lines as they need. */
export function renderLegend(
  entries: readonly Entry[],
  { left, top, width }: Place,
): { readonly svg: string; readonly height: number } {
  let [x, y] = [0, 0];
  const parts = entries.map(({ colour, label }) => {
    const wide = SWATCH + 6 + label.length * LETTER_WIDTH;
    if (x > 0 && x + wide > width) [x, y] = [0, y + LINE_HEIGHT];
    const swatch = `<rect x="${left + x}" y="${top + y - 10}" width="${SWATCH}" height="${SWATCH}" fill="${colour}"/>`;
    const words = text(left + x + SWATCH + 6, top + y, label, 'fill="#495057"');
    x += wide + GAP;
    return `${swatch}\n${words}`;
  });
  return { svg: parts.join('\n'), height: y + LINE_HEIGHT };
}
