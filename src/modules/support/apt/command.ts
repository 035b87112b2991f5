/** Command lines of apt-get. */
import { type Command, joinCommands, sh } from '../../../shared/shell.ts';
import type { AptArgs } from './args.ts';
import { type AptVerb, aptOptions } from './options.ts';

/** What apt-get is asked to do, with the words that follow. */
export interface AptJob {
  readonly verb: AptVerb;
  readonly words: readonly string[];
  /** Words among them that apt does not know yet. */
  readonly unknown?: readonly string[];
  /** A package file to install: absolute path or URL. */
  readonly deb?: string;
}

const ENVIRONMENT = sh`export DEBIAN_FRONTEND=noninteractive DEBIAN_PRIORITY=critical LC_ALL=C.UTF-8 LANG=C.UTF-8 LANGUAGE=C`;

/**
 * `w` runs apt-get again while another process holds one of its locks, for at most the lock timeout; `locked` tells
 * whether that is why it failed.
 */
const WAITING = sh`locked() { grep -qE 'Could not get lock|Unable to lock|Unable to acquire' "$e"; }
w() {
until=$(($(date +%s) + lock))
while :; do
"$@" 2>"$e"; c=$?
[ $c -ne 0 ] && locked && [ "$(date +%s)" -lt $until ] || break
sleep 1
done
cat "$e" >&2
return $c
}`;

/** What apt-get would do, without doing it. */
export function simulation(job: AptJob, args: AptArgs): Command {
  return joinCommands(
    [
      ENVIRONMENT,
      CLEAN_UP,
      ...fetching(job, args),
      sh`apt-get -y --simulate ${aptOptions(job.verb, args)} ${job.verb} ${targets(job)}`,
    ],
    '\n',
  );
}

/** Prints package, version and architecture of a package file. */
export function debFields(deb: string, args: AptArgs): Command {
  const job: AptJob = { verb: 'install', words: [], deb };
  const fields = sh`dpkg-deb -f ${targets(job)} Package Version Architecture`;
  return joinCommands([ENVIRONMENT, CLEAN_UP, ...fetching(job, args), fields], '\n');
}

/** Does it, waiting for the locks. */
export function aptGet(job: AptJob, args: AptArgs): Command {
  const { policy_rc_d: code } = args;
  const parts = [
    ENVIRONMENT,
    CLEAN_UP,
    waiting(args),
    ...fetching(job, args),
    ...(code === undefined ? [] : [policyScript(code)]),
    sh`w apt-get -y -o Dpkg::Use-Pty=0 ${aptOptions(job.verb, args)} ${job.verb} ${targets(job)}`,
  ];
  return joinCommands(parts, '\n');
}

/**
 * Fetches the package lists, and prints their time. Tries again with growing pauses, but not after it has waited for
 * a lock.
 */
export function aptUpdate(args: AptArgs): Command {
  const { update_cache_retries: retries, update_cache_retry_max_delay: longest } = args;
  return joinCommands(
    [
      ENVIRONMENT,
      CLEAN_UP,
      waiting(args),
      sh`n=0; d=1
while :; do
w apt-get update 2>/dev/null; c=$?
[ $c -eq 0 ] && grep -qE '^(E:|W: (Failed to fetch|Some index files failed))' "$e" && c=100
[ $c -ne 0 ] && [ $n -lt ${retries} ] && ! locked || break
n=$((n + 1)); d=$((d * 2)); [ $d -le ${longest} ] || d=${longest}
sleep $d.$((($$ + n) % 10))
done
cat "$e" >&2
[ $c -eq 0 ] || exit $c
printf 'cache_update_time=%s\n' "$(${listsTime})"`,
    ],
    '\n',
  );
}

/** Prints when the package lists were last fetched, in seconds since the epoch; 0 where they never were. */
export const listsTime: Command = sh`stat -c %Y /var/lib/apt/periodic/update-success-stamp 2>/dev/null || stat -c %Y /var/lib/apt/lists 2>/dev/null || echo 0`;

/** Removes what the script made for its own use, and puts back what it moved. */
const CLEAN_UP = sh`e= d= p=
trap 'rm -f "$e"; [ -z "$d" ] || rm -rf "$d"; [ -z "$p" ] || { rm -f "$p"; [ ! -e "$k" ] || mv "$k" "$p"; }' EXIT
trap 'exit 130' HUP INT TERM`;

function waiting({ lock_timeout: lock }: AptArgs): Command {
  return sh`lock=${lock}
e=$(mktemp) || exit 1
${WAITING}`;
}

/** Downloads a package file that lies elsewhere; apt's own helper knows the proxy and the certificates. */
function fetching({ deb }: AptJob, { force }: AptArgs): Command[] {
  if (deb === undefined || !isUrl(deb)) return [];
  const trust = force ? ['-o', 'Acquire::https::Verify-Peer=false'] : [];
  return [
    sh`d=$(mktemp -d) && chmod 755 "$d" || exit 1
deb=$d/${debFileName(deb)}
/usr/lib/apt/apt-helper ${trust} download-file ${deb} "$deb" >&2 || exit 100`,
  ];
}

function targets({ words, deb }: AptJob): Command {
  if (deb === undefined) return sh`${[...words]}`;
  return isUrl(deb) ? sh`"$deb"` : sh`${deb.startsWith('-') ? `./${deb}` : deb}`;
}

export function isUrl(text: string): boolean {
  return text.includes('://');
}

function debFileName(url: string): string {
  const name = /([^/?#]+)(?:[?#].*)?$/.exec(url)?.[1] ?? 'package';
  return name.endsWith('.deb') ? name : `${name}.deb`;
}

/** Puts a policy-rc.d in place for the time of the script. */
function policyScript(code: number): Command {
  return sh`p=/usr/sbin/policy-rc.d; k=$p.tsprov
[ ! -e "$p" ] || mv "$p" "$k" || exit 1
printf '#!/bin/sh\nexit %s\n' ${code} >"$p" && chmod 755 "$p" || exit 1`;
}
