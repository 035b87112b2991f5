/** Making a key pair for a user. */
import { run, type Step } from '../../engine/module.ts';
import { type Command, sh } from '../../shared/shell.ts';
import type { UserArgs } from './user-args.ts';

/**
 * A step that makes the key, with its directory, all owned by the user, and prints its fingerprint, NUL, and its
 * public part.
 */
export function makeSshKey(args: UserArgs, home: string): Step {
  const { name, ssh_key_type: type, ssh_key_bits: bits, ssh_key_comment: comment } = args;
  const { ssh_key_passphrase: passphrase } = args;
  const file = args.ssh_key_file ?? `.ssh/id_${type}`;
  const path = file.startsWith('/') ? file : `${home}/${file}`;
  const label: Command =
    comment === undefined ? sh`"ansible-generated on $(uname -n)"` : sh`${comment}`;
  const options = ['-q', '-t', type, ...(bits === undefined ? [] : ['-b', bits]), '-f', path];
  const make = sh`ssh-keygen ${options} -C ${label}`;
  const command = sh`d=${path.replace(/\/[^/]*$/, '')}
if [ ! -d "$d" ]; then mkdir -p -- "$d" && chmod 700 -- "$d" && chown -- ${name}: "$d"; fi || exit 1
rm -f -- ${path} ${`${path}.pub`} || exit 1
${passphrase === undefined ? sh`${make} -N '' </dev/null` : withPassphrase(make)} || exit 1
chown -- ${name}: ${path} ${`${path}.pub`} || exit 1
ssh-keygen -lf ${path}; printf '\\0'; cat -- ${`${path}.pub`}`;
  return run(command, {
    failure: `cannot make an SSH key for ${name}`,
    ...(args.force && { always: true }),
    ...(passphrase !== undefined && { stdin: passphrase }),
  });
}

/** A passphrase in an argument could be read by every user: a helper program passes it on instead. */
function withPassphrase(make: Command): Command {
  return sh`IFS= read -r TSPROV_PASSPHRASE; export TSPROV_PASSPHRASE
t=$(mktemp -d) && trap 'rm -rf "$t"' EXIT || exit 1
printf '#!/bin/sh\nprintf "%%s\\\\n" "$TSPROV_PASSPHRASE"\n' >"$t/ask" && chmod 700 "$t/ask" || exit 1
SSH_ASKPASS=$t/ask SSH_ASKPASS_REQUIRE=force DISPLAY=:0 ${make} </dev/null`;
}
