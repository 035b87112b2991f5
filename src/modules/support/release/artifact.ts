/** Which file of a release a host needs, and how that is said. Pure. */
import { TaskError } from '../../../engine/module.ts';
import type { ReleaseArgs } from './args.ts';
import type { Architecture, ReleaseState, Stamp } from './host.ts';
import type { Locked, ReleaseMemory, Resolution } from './memory.ts';
import type { Artifact } from './obtain.ts';
import { redacted, upstreamUrl } from './place.ts';
import { compareVersions, fillIn } from './version.ts';

/** What the controller knows before a host is asked. */
export interface ReleaseInput {
  readonly args: ReleaseArgs;
  readonly resolution: Resolution;
  /** What the lock file says of the component. */
  readonly locked: Locked | undefined;
  readonly memory: ReleaseMemory;
}

/** The file for an architecture. Where the version is not known, the names say `latest`. */
export function artifactOf(
  { args, resolution, locked }: Pick<ReleaseInput, 'args' | 'resolution' | 'locked'>,
  architecture: Architecture,
): Artifact {
  const version = 'version' in resolution ? resolution.version : '<latest>';
  const tag = fillIn(args.tag, { version });
  const arch = String(args.architecture_names[architecture] ?? architecture);
  const words = { version, tag, arch };
  const asset = fillIn(args.asset, words);
  const other = args.url === undefined ? undefined : fillIn(args.url, { ...words, asset });
  const sums = args.checksum_asset && fillIn(args.checksum_asset, { ...words, asset });
  return {
    ...{ name: args.name, version, asset },
    url: redacted(other ?? upstreamUrl(args, tag, asset)),
    otherUrl: other,
    sumsUrl: sums && upstreamUrl(args, tag, sums),
    ...proof({ args, locked }, { architecture, version, asset }),
  };
}

function proof(
  { args, locked }: Pick<ReleaseInput, 'args' | 'locked'>,
  { architecture, version, asset }: { architecture: Architecture; version: string; asset: string },
): Pick<Artifact, 'sha256' | 'trust'> {
  const given = args.checksums[architecture];
  if (given !== undefined) {
    return {
      sha256: String(given)
        .replace(/^sha256:/, '')
        .toLowerCase(),
      trust: 'given',
    };
  }
  const known = locked?.version === version && !args.update ? locked.files[asset] : undefined;
  if (known !== undefined) return { sha256: known.sha256, trust: 'locked' };
  const trust = args.checksum_asset === undefined ? 'first use' : 'published';
  return { sha256: undefined, trust };
}

/** Whether a host has just this file. */
export function isSame(stamp: Stamp, { version, url, sha256 }: Artifact): boolean {
  return (
    stamp.version === version &&
    stamp.url === url &&
    (sha256 === undefined || stamp.sha256 === sha256)
  );
}

/** Throws TaskError where the host has a newer version and may not lose it. */
export function refuseDowngrade(
  { installed }: ReleaseState,
  { name, version }: Artifact,
  { allow_downgrade: isAllowed }: ReleaseArgs,
): void {
  const has = installed?.stamp.version;
  if (has === undefined || isAllowed || version === '<latest>') return;
  if (compareVersions(has, version) <= 0) return;
  throw new TaskError(`${name} ${has} is installed, and ${version} is wanted, which is older`, {
    hint: 'set `allow_downgrade: true`',
  });
}

const PROOFS: Readonly<Record<Artifact['trust'], (artifact: Artifact) => string>> = {
  given: ({ sha256 }) => `SHA-256 ${sha256}, as the task says`,
  locked: ({ sha256 }) => `SHA-256 ${sha256}, as the lock file says`,
  published: ({ sumsUrl }) => `SHA-256 as ${sumsUrl} says`,
  'first use': () => 'SHA-256 not published: trusted on first use',
};

/** What is going to happen, for `--diff`. */
export function describe(artifact: Artifact, { args, resolution }: ReleaseInput): string {
  const source = args.files_dir === undefined ? 'download' : `take from ${args.files_dir}`;
  const lines = [
    `${artifact.name} ${artifact.version}: install below ${args.dest}`,
    ...('problem' in resolution ? [`the newest release is not known: ${resolution.problem}`] : []),
    `${source}: ${artifact.url}`,
    PROOFS[artifact.trust](artifact),
  ];
  return lines.map((line) => `+ ${line}\n`).join('');
}

/** Said whenever something is trusted that nobody vouches for. */
export function trustWarning({ name }: Artifact, { lock_file: lock }: ReleaseArgs): string {
  const kept =
    lock === undefined ? 'it is not kept, as there is no `lock_file`' : `it is kept in ${lock}`;
  return `${name} publishes no list of checksums: what is downloaded is trusted on first use; ${kept}`;
}
