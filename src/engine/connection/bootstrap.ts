/**
 * The shell text that runs on a host to hold a persistent shell. It fits dash, busybox ash and bash; the line
 * that starts it has no newline, apostrophe or exclamation mark inside its quotes, so csh and fish read it too.
 */

const oneLine = (text: string): string => text.trim().replaceAll(/\s*\n\s*/g, ' ');

/**
 * Environment of every script: messages in English, and the directories of administration commands. `POSIX` means
 * the same as `C` and tells the connection's own locale from one that a user asked for.
 */
const ENVIRONMENT = oneLine(`
  LC_ALL=POSIX; export LC_ALL; unset LANGUAGE ENV BASH_ENV CDPATH;
  PATH=\${PATH:-/usr/bin:/bin};
  for d in /usr/local/sbin /usr/sbin /sbin; do
    case :$PATH: in *:$d:*) ;; *) PATH=$PATH:$d;; esac;
  done;
  export PATH; unset d;
`);

/**
 * Functions that end a process tree. `scan` reads pid:parent of every process into $a; `tree PID` puts the
 * descendants of PID, parents first and without $me, into $o; `freeze PID` stops them, until there are no new
 * ones; `reap PIDS` ends them, first politely, after a second by force.
 */
const TREE = oneLine(`
  scan() {
    a=;
    for f in /proc/[0-9]*/stat; do
      read -r l <$f && set -- \${l##*") "} && a="$a \${l%% *}:$2";
    done;
  };
  tree() {
    o=" $1 "; n=;
    until [ "$o" = "$n" ]; do
      n=$o;
      for p in $a; do
        c=\${p%:*};
        case "$o" in *" $c "*) continue;; esac;
        [ $c = $me ] && continue;
        case "$o" in *" \${p#*:} "*) o="$o$c ";; esac;
      done;
    done;
    o=\${o#" $1 "};
  };
  freeze() {
    q=x; o=;
    until [ "$q" = "$o" ]; do q=$o; [ -n "$o" ] && kill -STOP $o; scan; tree $1; done;
  };
  alive() {
    for p; do
      read -r l </proc/$p/stat && case \${l##*") "} in Z*|X*) ;; *) return 0;; esac;
    done;
    return 1;
  };
  reap() {
    [ $# = 0 ] && return;
    kill -TERM "$@"; kill -CONT "$@";
    for i in 1 2 3 4 5 6 7 8 9 10; do
      alive "$@" || return;
      sleep 0.1 || sleep 1;
    done;
    kill -KILL "$@";
  };
`);

/**
 * A shell that reads scripts from its stdin until that ends; then whatever still runs under it is ended.
 * `cat` stands between the channel and the shell so that the end of the channel is seen while a script runs.
 * When the shell itself ends, so does the supervisor, and with it the channel.
 */
export function persistentShell(shell: string, nonce: string): string {
  const watch = oneLine(`
    exec >&- </dev/null;
    read -r me r </proc/self/stat;
    freeze $$;
    set -- $o;
    [ $# -gt 1 ] || { [ $# = 1 ] && kill -KILL $1; exit; };
    kill -KILL $1 $2; shift 2; reap "$@"
  `);
  return oneLine(`
    ${ENVIRONMENT} ${TREE} trap : HUP; exec 9>&2 2>/dev/null;
    { trap "" HUP PIPE; cat; ${watch}; } 9>&- |
    { ${ready(nonce)}; ${shell} 2>&9 9>&-; kill $$; }
  `);
}

/** A plain shell that reads from the channel itself: for one script that takes the rest as its input. */
export function plainShell(shell: string, nonce: string): string {
  return `${ENVIRONMENT} ${ready(nonce)}; exec ${shell}`;
}

/** Ends the process `pid` and everything under it. */
export function endTree(pid: number): string {
  return oneLine(`
    ${TREE} exec 2>/dev/null; read -r me r </proc/self/stat;
    kill -STOP ${pid}; freeze ${pid}; set -- $o; kill -KILL ${pid}; reap "$@"
  `);
}

/** Words of a login shell's command line that become `sh -c text`. */
export const shellCommand = (text: string): string => `/bin/sh -c '${text}'`;

const ready = (nonce: string): string => `printf "\\036%s" "${nonce}<"`;
