import { parsePort } from './port.ts';

export interface Address {
  readonly host: string;
  readonly port: number;
}

/** `host:port`; an IPv6 address stands in brackets. @throws {RangeError} that reads after the name of what has it. */
export function parseAddress(text: string): Address {
  const match = /^(?:\[([0-9a-f:.]+)\]|([^\s:/@[\]]+)):([^:]*)$/i.exec(text);
  const host = match?.[1] ?? match?.[2];
  if (match === null || host === undefined) {
    throw new RangeError(`must be host:port and not "${text}"`);
  }
  return { host, port: parsePort(match[3] ?? '') };
}

export function checkAddress(name: string, text: string): readonly string[] {
  try {
    parseAddress(text);
    return [];
  } catch (error) {
    if (!(error instanceof RangeError)) throw error;
    return [`${name} ${error.message}`];
  }
}
