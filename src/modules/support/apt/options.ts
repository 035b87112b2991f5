/** Options of apt-get for what a task allows. */
import type { AptArgs } from './args.ts';

export type AptVerb =
  | 'install'
  | 'remove'
  | 'build-dep'
  | 'upgrade'
  | 'dist-upgrade'
  | 'autoremove'
  | 'autoclean';

/** Options as words, in the order in which Ansible writes them. */
export function aptOptions(verb: AptVerb, args: AptArgs): string[] {
  const { install_recommends: recommends, default_release: release } = args;
  const isInstall = !['remove', 'autoremove', 'autoclean'].includes(verb);
  return [
    ...dpkgOptions(args),
    ...['-o', `DPkg::Lock::Timeout=${args.lock_timeout}`],
    ...(isInstall ? installFlags(verb, args) : removalFlags(verb, args)),
    ...trustFlags(args),
    ...(recommends === undefined
      ? []
      : ['-o', `APT::Install-Recommends=${recommends ? 'yes' : 'no'}`]),
    ...(release === undefined ? [] : ['-t', release]),
  ];
}

function dpkgOptions({ dpkg_options: text }: AptArgs): string[] {
  const options = text.split(',').map((each) => each.trim());
  const given = options.filter((each) => each !== '');
  return given.flatMap((each) => ['-o', `Dpkg::Options::=--${each}`]);
}

function installFlags(verb: AptVerb, args: AptArgs): string[] {
  return chosen({
    '--auto-remove': args.autoremove,
    '--no-remove': args.fail_on_autoremove,
    '--only-upgrade': args.only_upgrade,
    '--fix-broken': args.state === 'fixed' && verb === 'install',
    '--with-new-pkgs': verb === 'upgrade',
    '--allow-unauthenticated': args.allow_unauthenticated || args.force,
    '--allow-downgrades': args.allow_downgrade || args.force,
  });
}

function removalFlags(verb: AptVerb, args: AptArgs): string[] {
  return chosen({
    '--auto-remove': args.autoremove && verb === 'remove',
    '--purge': args.purge,
  });
}

function trustFlags(args: AptArgs): string[] {
  return chosen({
    '--allow-change-held-packages': args.allow_change_held_packages || args.force,
    '--allow-remove-essential': args.force,
  });
}

function chosen(flags: Readonly<Record<string, boolean>>): string[] {
  return Object.keys(flags).filter((flag) => flags[flag]);
}
