/** The texts of headers `Warning: 299 - "text"` (RFC 7234, 5.5), several of which may stand in one line. */
export function parseWarnings(header: string | string[] | undefined): readonly string[] {
  const found = [header ?? []].flat().flatMap((line) => [...line.matchAll(WARNING)]);
  return found.map(([, text = '']) => text.replace(/\\(.)/g, '$1'));
}

const WARNING = /\d{3} \S+ "((?:[^"\\]|\\.)*)"/g;
