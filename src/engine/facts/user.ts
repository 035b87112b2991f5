import { sh } from '../../shared/shell.ts';
import { type Collector, lines } from './collector.ts';

/** Who runs the tasks. */
export const user: Collector = {
  name: 'user',
  ids: [
    'effective_group_ids',
    'effective_user_id',
    'real_user_id',
    'user_dir',
    'user_gecos',
    'user_gid',
    'user_id',
    'user_shell',
    'user_uid',
  ],
  script: sh`s user; id -u; id -g; id -ru; id -rg; printf '%s\\n' "\${LOGNAME:-\${USER:-\${LNAME:-$USERNAME}}}"
u=$(id -u); if has getent; then getent passwd "$u"; else while IFS= read -r l; do case $l in *:*:"$u":*) printf '%s\\n' "$l"; break;; esac; done </etc/passwd; fi`,

  parse(sections) {
    const [uid, gid, realUid, realGid, ...more] = lines(sections, 'user');
    const account = more.find((line) => line.includes(':')) ?? '';
    const login = more.find((line) => !line.includes(':'));
    const [name, , , group, gecos, home, shell] = account.split(':');
    return {
      user_id: login ?? name,
      user_uid: number(realUid),
      user_gid: number(group ?? gid),
      user_gecos: gecos ?? '',
      user_dir: home ?? '',
      user_shell: shell ?? '',
      real_user_id: number(realUid),
      effective_user_id: number(uid),
      real_group_id: number(realGid),
      effective_group_id: number(gid),
    };
  },
};

function number(text: string | undefined): number | undefined {
  return text === undefined ? undefined : Number(text);
}
