/** Parts of SVG pictures. */

export function round(number: number): number {
  return Math.round(number * 10) / 10;
}

export function text(x: number, y: number, content: string, style: string): string {
  return `<text x="${x}" y="${y}" ${style}>${escapeXml(content)}</text>`;
}

export function escapeXml(raw: string): string {
  return raw
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replaceAll('"', '&quot;');
}
