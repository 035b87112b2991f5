/** @throws {RangeError} that reads after the name of what has the port. */
export function parsePort(text: string): number {
  const port = Number(text);
  if (!/^\d+$/.test(text) || port < 1 || port > 65_535) {
    throw new RangeError(`has port ${text}: give a number from 1 to 65535`);
  }
  return port;
}
