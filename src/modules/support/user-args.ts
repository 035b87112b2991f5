/** Arguments of the user module. */
import {
  boolean,
  choice,
  type Infer,
  integer,
  list,
  number,
  object,
  optional,
  path,
  secret,
  string,
} from '../../shared/schema.ts';

export const userArgs = object({
  name: string('User.', { aliases: ['user'] }),
  state: choice(['present', 'absent'], 'Whether the user exists.', { default: 'present' }),
  uid: optional(integer('Their number.')),
  non_unique: boolean('Allow a `uid` that another user has.', { default: false }),
  group: optional(string('Primary group, by name or number.')),
  groups: optional(
    list(
      string('A group.'),
      'All further groups they are in; without `append` they leave the others.',
    ),
  ),
  append: boolean('Add `groups` to those they are in.', { default: false }),
  comment: optional(string('Full name, or another remark.')),
  home: optional(path('Home directory.')),
  create_home: boolean('Make the home directory where it is missing.', {
    default: true,
    aliases: ['createhome'],
  }),
  move_home: boolean('Move the content of the old home directory to the new one.', {
    default: false,
  }),
  skeleton: optional(string('Directory with the first content of the home directory.')),
  umask: optional(string('Umask that the home directory is made with, e.g. "0077".')),
  shell: optional(path('Login shell.')),
  password: optional(
    secret('Hash of the password, as crypt(3) makes it; `!` and `*` allow no password.'),
  ),
  update_password: choice(['always', 'on_create'], 'When the password is set.', {
    default: 'always',
  }),
  password_lock: optional(boolean('Whether the password is put out of use.')),
  password_expire_max: optional(integer('Days after which a password must be changed.')),
  password_expire_min: optional(integer('Days before which a password may not be changed.')),
  password_expire_warn: optional(integer('Days of warning before a password expires.')),
  password_expire_account_disable: optional(
    integer('Days after which an account whose password expired is put out of use.'),
  ),
  expires: optional(number('When the account ends, in seconds since 1970; negative means never.')),
  system: boolean('Make a system user. Does not change an existing one.', { default: false }),
  uid_min: optional(integer('Lowest number that a new user may get.')),
  uid_max: optional(integer('Highest number that a new user may get.')),
  seuser: optional(string('SELinux user.')),
  local: boolean('Look and write only in the files of the host, with the tools of libuser.', {
    default: false,
  }),
  remove: boolean('When removing: their home directory and mail too.', { default: false }),
  force: boolean(
    'When removing: even while they are logged in. With `generate_ssh_key`: replace the key.',
    {
      default: false,
    },
  ),
  generate_ssh_key: boolean('Make a key pair for SSH where there is none.', { default: false }),
  ssh_key_type: string('Type of the key.', { default: 'rsa' }),
  ssh_key_bits: optional(integer('Length of the key.')),
  ssh_key_file: optional(path('File of the key; a relative path starts at the home directory.')),
  ssh_key_comment: optional(string('Comment of the key; by default it names the host.')),
  ssh_key_passphrase: optional(secret('Passphrase of the key.')),
  login_class: optional(string('Of BSD; ignored.')),
  profile: optional(string('Of Solaris; ignored.')),
  authorization: optional(string('Of Solaris; ignored.')),
  role: optional(string('Of Solaris; ignored.')),
  hidden: optional(boolean('Of macOS; ignored.')),
});

export type UserArgs = Infer<typeof userArgs>;

/** Groups that are named, without the blank ones that an empty text gives; undefined where all stays as it is. */
export function wantedGroups({ groups }: UserArgs): readonly string[] | undefined {
  return groups?.map((each) => each.trim()).filter((each) => each !== '');
}
