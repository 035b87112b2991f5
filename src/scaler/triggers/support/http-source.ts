/** What triggers that ask over HTTP share: addresses, and what may be wrong with an answer. */
import { shownUrl } from '../../../shared/shown-url.ts';
import type { HttpAnswer } from '../../trigger.ts';
import { maskSecrets } from './source.ts';

const SHOWN_CHARACTERS = 200;

/** The problem of an address, which may hold a password and so is not quoted. */
export function checkHttpUrl(name: string, address: string): readonly string[] {
  const isUrl = URL.canParse(address) && /^https?:$/.test(new URL(address).protocol);
  return isUrl ? [] : [`${name} must be a URL that begins with http:// or https://`];
}

/** `path` below an address, whether that ends in a slash or not; the query of the address stays. */
export function urlBelow(
  address: string,
  path: string,
  query: Readonly<Record<string, string>> = {},
): URL {
  const url = new URL(address);
  url.pathname = `${url.pathname.replace(/\/+$/, '')}${path}`;
  for (const [name, value] of Object.entries(query)) url.searchParams.append(name, value);
  return url;
}

/**
 * @param secrets What was sent and must not be shown, should the source repeat it.
 * @throws {Error} with the status, and the reason where the source gives one.
 */
export function requireSuccess(
  url: URL,
  { status, text }: HttpAnswer,
  secrets: readonly (string | undefined)[] = [],
): void {
  if (status >= 200 && status < 300) return;
  const reason = maskSecrets(reasonIn(text), [...secrets, url.password]);
  const cure = CURES[status];
  throw new Error(
    `${shownUrl(url)} answers with HTTP status ${status}` +
      `${reason === '' ? '' : `: ${reason}`}${cure === undefined ? '' : ` (${cure})`}`,
  );
}

/** @throws {Error} that names the address. */
export function parseJsonAnswer(url: URL, { text }: HttpAnswer): unknown {
  try {
    return JSON.parse(text);
  } catch (cause) {
    throw new Error(`${shownUrl(url)} answers with something else than JSON`, { cause });
  }
}

const CURES: Readonly<Record<number, string>> = {
  401: 'check the credentials of its TriggerAuthentication',
  403: 'check what its credentials allow',
  404: 'check the address',
};

/** Sources tell it in JSON under one of these names, or in plain text. Pages for browsers tell nothing. */
function reasonIn(text: string): string {
  return (jsonReason(text) ?? (text.trimStart().startsWith('<') ? '' : text))
    .replace(/\s+/g, ' ')
    .trim()
    .slice(0, SHOWN_CHARACTERS);
}

function jsonReason(text: string): string | undefined {
  try {
    const { error, message } = JSON.parse(text) ?? {};
    return [error, message].find((candidate) => typeof candidate === 'string') ?? '';
  } catch {
    return undefined;
  }
}
