/** Where the files of releases are: at GitHub, on a mirror, or in a directory of this machine. */
import { existsSync, readdirSync } from 'node:fs';
import { basename, join } from 'node:path';
import type { ReleaseArgs } from './args.ts';
import { compareVersions, fillIn, versionOfTag } from './version.ts';

type Mirrors = Pick<ReleaseArgs, 'mirrors' | 'files_repo' | 'files_dir'>;

const GITHUB = 'https://github.com';
const RAW = 'https://raw.githubusercontent.com';

/** The page that leads to the newest release. */
export function latestUrl({ repository }: ReleaseArgs): string {
  return `${GITHUB}/${repository}/releases/latest`;
}

/** Where upstream has a file of a release, or of its source tree. */
export function upstreamUrl(
  { repository, upstream, in_tree: inTree }: ReleaseArgs,
  tag: string,
  asset: string,
): string {
  if (upstream !== undefined) return `${withoutSlash(fillIn(upstream, { tag }))}/${asset}`;
  if (inTree) return `${RAW}/${repository}/${tag}/${asset}`;
  return `${GITHUB}/${repository}/releases/download/${tag}/${asset}`;
}

/** Where to ask for an upstream URL. */
export function mirrored(url: string, { mirrors, files_repo: repo }: Mirrors): string {
  const { host, pathname, protocol } = new URL(url);
  if (repo !== undefined) return `${withoutSlash(repo)}/${host}${pathname}`;
  const base = Object.hasOwn(mirrors, host) ? String(mirrors[host]) : `${protocol}//${host}`;
  return `${withoutSlash(base)}${pathname}`;
}

const withoutSlash = (base: string) => base.replace(/\/+$/, '');

/** A URL that may be shown. */
export function redacted(url: string): string {
  return url.replace(/\/\/[^/@]*@/, '//');
}

/** The file of a local directory that stands for an upstream URL. */
export function localFile(directory: string, url: string): string | undefined {
  return localPlaces(directory, url).find((file) => existsSync(file));
}

/** Where such a file may be. */
export function localPlaces(directory: string, url: string): string[] {
  const { host, pathname } = new URL(url);
  const name = basename(decodeURIComponent(pathname));
  return [join(directory, host, decodeURIComponent(pathname)), join(directory, name)];
}

/** The newest version of which a local directory has files. */
export function newestLocal(directory: string, args: ReleaseArgs): string | undefined {
  const tags = names(join(directory, 'github.com', args.repository, 'releases/download'));
  const asset = new RegExp(
    `^${fillIn(escaped(basename(args.asset)), { version: '(\\d+\\.\\d+\\.\\d+)', tag: fillIn(args.tag, { version: '(\\d+\\.\\d+\\.\\d+)' }), arch: '\\w+' })}$`,
  );
  const versions = [
    ...tags.flatMap((tag) => versionOfTag(tag, args.tag) ?? []),
    ...names(directory).flatMap((name) => asset.exec(name)?.[1] ?? []),
  ];
  return versions.sort(compareVersions).at(-1);
}

function names(directory: string): string[] {
  return existsSync(directory) ? readdirSync(directory) : [];
}

const escaped = (pattern: string) => pattern.replace(/[.+*?^$()|[\]\\]/g, '\\$&');
