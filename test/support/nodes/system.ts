/** What Debian a test machine runs. Architectures are in Debian's words, which are Go's and those of releases. */
export interface DebianSystem {
  readonly suite: 'bookworm' | 'trixie';
  readonly architecture: 'amd64' | 'arm64';
}

export const BOOKWORM: DebianSystem = { suite: 'bookworm', architecture: 'amd64' };
export const TRIXIE: DebianSystem = { suite: 'trixie', architecture: 'amd64' };
/** Another processor than this computer's: everything of it is emulated. */
export const BOOKWORM_ARM64: DebianSystem = { suite: 'bookworm', architecture: 'arm64' };
