import { withoutLogin } from '../../../shared/conceal.ts';
import {
  boolean,
  choice,
  dict,
  type Infer,
  list,
  object,
  optional,
  path,
  raw,
  string,
} from '../../../shared/schema.ts';

/** Arguments of the release_archive module. */
export const releaseArgs = object({
  name: string('What it is called in the lock file and in messages.', {
    pattern: '^[a-z0-9][a-z0-9._-]*$',
  }),
  state: choice(['present', 'absent'], 'Whether it is to be installed.', { default: 'present' }),
  repository: string('Repository at GitHub that releases it, as `owner/name`.', {
    pattern: '^[\\w.-]+/[\\w.-]+$',
  }),
  upstream: optional(
    string(
      'Base URL of releases that are not at GitHub, with `{tag}`. The newest one is not known there: give a version.',
    ),
  ),
  version: string(
    'Version to install; `latest` is what the lock file says, else the newest release, asked for once in a run.',
    { default: 'latest' },
  ),
  tag: string('Tag of a version.', { default: 'v{version}' }),
  asset: string(
    'File of the release, with `{version}`, `{tag}` and `{arch}` (`amd64`, `arm64`): an archive, or a single file.',
  ),
  in_tree: boolean('The file is in the source tree of the tag, not attached to the release.', {
    default: false,
  }),
  checksum_asset: optional(
    string(
      'File of the release with SHA-256 sums, where there is one; `{asset}` is the name of the asset.',
    ),
  ),
  checksums: dict('SHA-256 that the file must have, by architecture.', { default: {} }),
  dest: path(
    'Directory for what is in the archive, or for the file. It is made where it is missing.',
  ),
  files: list(
    string('Path below the destination.'),
    'What it has to bring; without that nothing is installed.',
    { default: [] },
  ),
  only_files: boolean('Install of an archive nothing but these.', { default: false }),
  strip: choice(['0', '1'], 'How many leading directories of names in the archive go.', {
    default: '0',
  }),
  file_name: optional(string('Name of a single file on the host; that of the asset unless given.')),
  mode: raw('Permissions of a single file, octal in quotes.', { default: '0755' }),
  allow_downgrade: boolean('Replace a newer version too.', { default: false }),
  architecture: optional(
    choice(['amd64', 'arm64'], 'Which files the host needs; unless given, the host tells.'),
  ),
  architecture_names: dict('What `{arch}` says in place of `amd64` and `arm64`.', { default: {} }),
  url: optional(
    withoutLogin(string('Where to fetch the file from instead, with the same words in braces.')),
  ),
  mirrors: dict('Base URL to use instead of `https://HOST`, by host, e.g. `github.com`.', {
    default: {},
  }),
  files_repo: optional(
    withoutLogin(
      string('Base URL of a mirror of many hosts, where the host is the topmost directory.'),
    ),
  ),
  files_dir: optional(
    string(
      'Directory of this machine with the files, plain or below the host and path of their URLs. Nothing is fetched then.',
    ),
  ),
  lock_file: optional(
    string(
      'File of this machine that keeps versions and SHA-256 sums, so that later runs use the same.',
    ),
  ),
  update: boolean('Ask for the newest release again, and trust what it is now.', {
    default: false,
  }),
  state_dir: path('Directory of the host for the notes on what is installed.', {
    default: '/var/lib/tsprov/releases',
  }),
  cache_dir: optional(
    string(
      'Directory of this machine for downloads; `tsprov` in the cache of the user unless given.',
    ),
  ),
});

export type ReleaseArgs = Infer<typeof releaseArgs>;
