import { type Command, plainName, sh } from './shell.ts';

/**
 * Gives one file the owner, mode, ACL and extended attributes of another; succeeds when the mode could be set. Where
 * cp cannot do it (busybox), ACL and extended attributes need the tools of the packages acl and attr. `from` and `to`
 * are names of shell variables that hold paths; the second is in a directory, under a name of plain letters.
 */
export function takeAttributes(from: string, to: string): Command {
  const [old, made] = [plainName(from), plainName(to)];
  const [source, target] = [sh`"$${old}"`, sh`"$${made}"`];
  const [directory, name] = [sh`"\${${made}%/*}/"`, sh`"\${${made}##*/}"`];
  return sh`{ cp --attributes-only --preserve=all ${source} ${target} 2>/dev/null || {
chown "$(stat -Lc %u:%g ${source})" ${target} 2>/dev/null
chmod "$(stat -Lc %a ${source})" ${target} && {
getfacl -cE -- ${source} | setfacl --set-file=- -- ${target}
getfattr -d -m - -- ${source} | { cd ${directory} && { read -r l; printf '# file: %s\n' ${name}; cat; } | setfattr --restore=-; }
true; } 2>/dev/null
}; }`;
}
