/** A time as the API's MicroTime wants it: RFC 3339 with microseconds. */
export function renderMicroTime(wallMs: number): string {
  return new Date(wallMs).toISOString().replace(/Z$/, '000Z');
}
