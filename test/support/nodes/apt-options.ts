import type { DebianSystem } from './system.ts';

/** Makes this computer's apt work with the sources and package lists of another system, which are in a folder. */
export function aptOptionsFor(root: string, { architecture }: DebianSystem): string[] {
  return [
    `Dir=${root}`,
    'Dir::Bin::methods=/usr/lib/apt/methods',
    `APT::Architecture=${architecture}`,
    `APT::Architectures=${architecture}`,
    'APT::Sandbox::User=root',
  ].flatMap((option) => ['-o', option]);
}
