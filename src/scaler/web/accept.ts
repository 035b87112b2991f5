/** Which form of an answer the `Accept` header asks for. */

/** A media type that an answer can have, with the parameters that tell it from others. */
export interface MediaType {
  /** Such as `application/json`. */
  readonly type: string;
  readonly parameters: Readonly<Record<string, string>>;
}

interface Range extends MediaType {
  readonly quality: number;
}

export const JSON_TYPE: MediaType = { type: 'application/json', parameters: {} };

/**
 * The first of the ranges, by quality and then by order, that one of `offers` meets; undefined where none does.
 * A range with parameters is met only by an offer with the same ones (those of charsets and formatting aside).
 */
export function negotiate(
  header: string | undefined,
  offers: readonly MediaType[],
): MediaType | undefined {
  if (header === undefined || header.trim() === '') return offers[0];
  const ranges = header.split(',').flatMap((text) => parseRange(text) ?? []);
  ranges.sort((a, b) => b.quality - a.quality);
  for (const range of ranges) {
    const offer = range.quality > 0 ? offers.find((each) => isMetBy(range, each)) : undefined;
    if (offer !== undefined) return offer;
  }
  return undefined;
}

/** The text for `Content-Type`. */
export function renderMediaType({ type, parameters }: MediaType): string {
  return [type, ...Object.entries(parameters).map(([key, value]) => `${key}=${value}`)].join(';');
}

/** What does not tell one form from another. */
const IGNORED = new Set(['charset', 'pretty', 'stream']);

function parseRange(text: string): Range | undefined {
  const [type = '', ...rest] = text.split(';').map((part) => part.trim().toLowerCase());
  if (!type.includes('/')) return undefined;
  const pairs = rest.map((part) => part.split('=', 2).map((side) => side.trim()));
  const quality = Number(pairs.find(([key]) => key === 'q')?.[1] ?? 1);
  const telling = pairs.filter(([key = '']) => key !== '' && key !== 'q' && !IGNORED.has(key));
  return { type, parameters: Object.fromEntries(telling), quality: quality >= 0 ? quality : 1 };
}

function isMetBy(range: Range, offer: MediaType): boolean {
  const [kind] = offer.type.split('/');
  if (![offer.type, `${kind}/*`, '*/*'].includes(range.type)) return false;
  const wanted = Object.entries(range.parameters);
  const offered = new Map(
    Object.entries(offer.parameters).map(([key, value]) => [key, value.toLowerCase()]),
  );
  const isOwn = wanted.every(([key, value]) => offered.get(key) === value);
  return isOwn && (range.type !== offer.type || wanted.length === offered.size);
}
