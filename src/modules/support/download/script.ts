/** Scripts that fetch something into a directory of their own, and what they print. */
import { type Command, joinCommands, plainName, sh } from '../../../shared/shell.ts';
import { makeScratch } from '../scratch.ts';
import type { DownloadRequest } from './request.ts';
import { fetchCommand, type Tool } from './tools.ts';

export interface FetchOptions {
  readonly method?: 'GET' | 'HEAD';
  /** Where the temporary directory is made; absent: where the host makes them. */
  readonly directory?: string | undefined;
  /** Where it is made if the host has no other place that can be written. */
  readonly fallback?: string;
  /** Unpack what the server sent as `Content-Encoding: gzip`. */
  readonly decompress: boolean;
  /** Digests to print beside the size. */
  readonly digests: readonly string[];
}

/**
 * Fetches into `$w/body`, sets `s` to the HTTP status (empty where there is none) and `c` to the exit code of the
 * tool, and prints `name=value` lines; each digest is in a variable of its name too. `printHeaders` has to follow.
 * The directory `$w` goes when the script ends.
 */
export function fetchScript(tool: Tool, request: DownloadRequest, options: FetchOptions): Command {
  const { method = 'GET', directory, fallback, decompress, digests } = options;
  const scratch =
    directory === undefined
      ? makeScratch(fallback === undefined ? [] : [fallback])
      : sh`w=$(mktemp -d ${`${directory}/.tsprov-XXXXXXXX`}) || exit 1
trap 'rm -rf "$w"' EXIT; trap 'exit 130' HUP INT TERM`;
  const { pathname, origin } = new URL(request.url);
  const isPartial = request.unredirectedHeaders.length > 0;
  return joinCommands(
    [
      sh`umask 077
${scratch}
u=${request.url}; started=$(date +%s)`,
      fetchCommand(tool, { request, method, follow: !isPartial }),
      ...(isPartial ? [redirected(tool, request, method, { origin, pathname })] : []),
      sh`[ -e "$w/body" ] || : >"$w/body"
s=$(sed -n 's|^ *HTTP/[0-9.]* \\([0-9][0-9]*\\).*|\\1|p' "$w/head" | tail -n 1)`,
      ...(decompress ? [UNPACK] : []),
      sh`printf 'exit=%s\nstatus=%s\nelapsed=%s\nsize=%s\n' "$c" "$s" $(($(date +%s) - started)) "$(wc -c <"$w/body")"`,
      ...digests.map(digestLine),
    ],
    '\n',
  );
}

/** Ends what a fetch script prints. */
export const printHeaders: Command = sh`echo --; cat "$w/head"; echo`;

const UNPACK = sh`if grep -qi '^ *content-encoding: *\\(x-\\)\\{0,1\\}gzip' "$w/head" && [ -s "$w/body" ]; then
gzip -dc <"$w/body" >"$w/plain" && mv "$w/plain" "$w/body" || c=99
fi`;

/** After the first answer without following: the rest, without the headers that were meant for the first only. */
function redirected(
  tool: Tool,
  request: DownloadRequest,
  method: 'GET' | 'HEAD',
  { origin, pathname }: { origin: string; pathname: string },
): Command {
  const hidden = new Set(request.unredirectedHeaders.map((name) => name.toLowerCase()));
  const kept = Object.entries(request.headers).filter(([name]) => !hidden.has(name.toLowerCase()));
  const rest = { ...request, headers: Object.fromEntries(kept), unredirectedHeaders: [] };
  return sh`l=$(sed -n 's/^ *[Ll]ocation: *//p' "$w/head" | tr -d '\\r' | sed 's/ \\[following\\]$//' | tail -n 1)
if [ -n "$l" ]; then
case $l in *://*) u=$l;; /*) u=${origin}$l;; *) u=${`${origin}${pathname.replace(/[^/]*$/, '')}`}$l;; esac
${fetchCommand(tool, { request: rest, method, follow: true })}
fi`;
}

/** Sets `sum` to the digest of the body and prints it under its name. */
function digestLine(algorithm: string): Command {
  const program = plainName(`${algorithm}sum`);
  const name = plainName(algorithm);
  return sh`sum=$({ ${program} || openssl dgst -r ${`-${algorithm}`}; } 2>/dev/null <"$w/body")
sum=\${sum%% *}; ${name}=$sum; printf '%s=%s\n' ${algorithm} "$sum"`;
}

/** What a fetch came to. */
export interface Answer {
  /** Exit code of the tool. */
  readonly exit: number;
  /** HTTP status, where the tool tells one. */
  readonly status?: number;
  /** `OK`, `Not Found`. */
  readonly reason: string;
  readonly elapsed: number;
  readonly sizeBytes: number;
  /** By algorithm. */
  readonly digests: Readonly<Record<string, string>>;
  /** Headers of the last answer, names in lower case. */
  readonly headers: Readonly<Record<string, string>>;
  /** What the tool said about its failure. */
  readonly error: string;
  /** The values that a script printed beside these. */
  readonly values: Readonly<Record<string, string>>;
}

/** Reads what a fetch script printed. */
export function parseAnswer({ stdout, stderr }: { stdout: string; stderr: string }): Answer {
  const at = stdout.indexOf('\n--\n');
  const own = (at === -1 ? stdout : stdout.slice(0, at)).split('\n').map((line) => line.split('='));
  const values = Object.fromEntries(own.map(([name = '', ...value]) => [name, value.join('=')]));
  const last =
    stdout
      .slice(at + 4)
      .split(/^ *(?=HTTP\/)/m)
      .at(-1) ?? '';
  const [, status, reason = ''] = /^HTTP\/[\d.]+ (\d+) ?(.*)/.exec(last) ?? [];
  const headers = [...last.matchAll(/^ *([\w-]+): *(.*?) *\r?$/gm)];
  return {
    exit: Number(values['exit'] ?? 1),
    ...(status !== undefined && { status: Number(status) }),
    reason: reason.trim(),
    elapsed: Number(values['elapsed'] ?? 0),
    sizeBytes: Number(values['size'] ?? 0),
    digests: values,
    headers: Object.fromEntries(
      headers.map(([, name = '', value = '']) => [name.toLowerCase(), value]),
    ),
    error: stderr.trim().replace(/^(curl: \(\d+\)|wget:|E:) */, ''),
    values,
  };
}

/** Whether the body is what was asked for. */
export function isSuccess({ exit, status }: Answer): boolean {
  return status === undefined ? exit === 0 : status >= 200 && status < 300 && exit === 0;
}

/** Why it is not. */
export function failureText({ status, reason, error }: Answer): string {
  if (status !== undefined && (status < 200 || status >= 300))
    return `HTTP Error ${status}: ${reason}`;
  return error === '' ? 'the connection ended early' : error;
}
