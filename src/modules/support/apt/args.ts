import { withoutLogin } from '../../../shared/conceal.ts';
import {
  boolean,
  choice,
  type Infer,
  integer,
  list,
  object,
  optional,
  path,
  string,
} from '../../../shared/schema.ts';

/** Arguments of the apt module. */
export const aptArgs = object({
  name: optional(
    list(
      string('`foo`, `foo=1.2*`, `foo>=1.2`, `foo:arm64`, `libfoo*`.'),
      'Packages; `*` with `state: latest` upgrades all that are installed.',
      { aliases: ['package', 'pkg'] },
    ),
  ),
  state: choice(
    ['present', 'absent', 'latest', 'build-dep', 'fixed'],
    'What the packages should be; `build-dep` installs what building them needs, `fixed` mends broken dependencies.',
    { default: 'present' },
  ),
  deb: optional(withoutLogin(path('A package file on the host, or its URL.'))),
  upgrade: choice(
    ['no', 'yes', 'safe', 'full', 'dist'],
    'Upgrade all packages: `yes` and `safe` remove none, `full` and `dist` may.',
    { default: 'no' },
  ),
  update_cache: optional(boolean('Fetch the package lists first.', { aliases: ['update-cache'] })),
  cache_valid_time: integer('Fetch the package lists only when they are older, in seconds.', {
    default: 0,
    minimum: 0,
  }),
  update_cache_retries: integer('How often fetching the package lists is tried again.', {
    default: 5,
    minimum: 0,
  }),
  update_cache_retry_max_delay: integer(
    'The longest wait between two of these tries, in seconds.',
    {
      default: 12,
      minimum: 0,
    },
  ),
  lock_timeout: integer('How long to wait for another apt or dpkg to finish, in seconds.', {
    default: 60,
    minimum: 0,
  }),
  default_release: optional(
    string('The release to prefer, as `apt-get -t` does.', { aliases: ['default-release'] }),
  ),
  install_recommends: optional(
    boolean('Whether recommended packages come along; apt decides unless given.', {
      aliases: ['install-recommends'],
    }),
  ),
  dpkg_options: string('Options of dpkg, joined by commas.', {
    default: 'force-confdef,force-confold',
  }),
  allow_unauthenticated: boolean('Install packages that nobody has signed.', {
    default: false,
    aliases: ['allow-unauthenticated'],
  }),
  allow_downgrade: boolean('Install versions older than those installed.', {
    default: false,
    aliases: ['allow-downgrade', 'allow_downgrades', 'allow-downgrades'],
  }),
  allow_change_held_packages: boolean('Change packages that are held.', { default: false }),
  only_upgrade: boolean('Leave out packages that are not installed yet.', { default: false }),
  autoremove: boolean('Remove what was installed as a dependency and is no longer needed.', {
    default: false,
  }),
  autoclean: boolean('Delete downloaded packages that no source offers any more.', {
    default: false,
  }),
  clean: boolean('Delete all downloaded packages.', { default: false }),
  purge: boolean('Remove the configuration of removed packages too.', { default: false }),
  fail_on_autoremove: boolean('Fail where a package would have to be removed.', { default: false }),
  force: boolean(
    'Allow unauthenticated packages, downgrades, and changes of held and essential packages.',
    { default: false },
  ),
  force_apt_get: boolean('Has no effect: apt-get is always used.', { default: false }),
  policy_rc_d: optional(
    integer('Exit code of policy-rc.d meanwhile; with 101 new services are not started.'),
  ),
  auto_install_module_deps: boolean('Has no effect: nothing has to be installed on the host.', {
    default: true,
  }),
});

export type AptArgs = Infer<typeof aptArgs>;
