/** A URL as messages may show it: without user, password, query and fragment, which may hold secrets. */
export function shownUrl(url: URL): string {
  return `${url.protocol}//${url.host}${url.pathname}`;
}
