/** What is to be fetched, whatever fetches it. */
import { TaskError } from '../../../engine/module.ts';

export interface DownloadRequest {
  /** Without user and password. */
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  /** Names of headers that are not sent on after a redirection. */
  readonly unredirectedHeaders: readonly string[];
  readonly username?: string | undefined;
  readonly password?: string | undefined;
  /** Send the password before the server asks for it. */
  readonly basicAtOnce: boolean;
  readonly gssapi: boolean;
  readonly timeoutSeconds: number;
  readonly validateCerts: boolean;
  readonly useProxy: boolean;
  readonly useNetrc: boolean;
  readonly agent: string;
  readonly clientCert?: string | undefined;
  readonly clientKey?: string | undefined;
  readonly ciphers: readonly string[];
}

/** A request for a URL as it is, with what every downloader does by default. */
export function plainRequest(url: string, validateCerts: boolean): DownloadRequest {
  return {
    ...withCredentials(url, undefined, undefined),
    ...{ headers: {}, unredirectedHeaders: [], basicAtOnce: false, gssapi: false },
    ...{ timeoutSeconds: 10, validateCerts, useProxy: true, useNetrc: true },
    ...{ agent: 'ansible-httpget', ciphers: [] },
  };
}

/** Takes user and password out of a URL; those given beside it count first. Throws TaskError where it is no URL. */
export function withCredentials(
  text: string,
  username: string | undefined,
  password: string | undefined,
): Pick<DownloadRequest, 'url' | 'username' | 'password'> {
  if (!URL.canParse(text)) throw new TaskError(`"${text}" is not a URL`);
  const url = new URL(text);
  if (url.username === '' || !/^https?:$/.test(url.protocol))
    return { url: text, username, password };
  const inUrl = [url.username, url.password].map(decodeURIComponent);
  return {
    url: text.replace(/^([a-z]+:\/\/)[^/@]*@/i, '$1'),
    username: username ?? inUrl[0],
    password: username === undefined ? inUrl[1] : password,
  };
}

/** Time as HTTP writes it, in whole seconds. */
export function httpDate(secondsSinceEpoch: number): string {
  return new Date(Math.floor(secondsSinceEpoch) * 1000).toUTCString();
}
