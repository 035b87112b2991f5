/** Every collector, in the order in which they build on each other. */
import { sh } from '../../shared/shell.ts';
import { cmdline } from './cmdline.ts';
import type { Collector } from './collector.ts';
import { dateTime } from './date-time.ts';
import { distribution } from './distribution.ts';
import { dns } from './dns.ts';
import { env } from './env.ts';
import { hardware } from './hardware.ts';
import { local } from './local.ts';
import { lsb } from './lsb.ts';
import { network } from './network.ts';
import { packageManager } from './package-manager.ts';
import { platform } from './platform.ts';
import { python } from './python.ts';
import { apparmor, capabilities, fips, selinux } from './security.ts';
import { serviceManager, systemd } from './service-manager.ts';
import { sshKeys } from './ssh-keys.ts';
import { fibreChannel, iscsi, nvme } from './storage.ts';
import { chroot, load } from './system.ts';
import { user } from './user.ts';
import { virtual } from './virtual.ts';

/** `facter` and `ohai` are names that Ansible knows; without their programs they give nothing. */
const absent = ['facter', 'ohai'].map(
  (name): Collector => ({ name, script: sh`:`, parse: () => ({}) }),
);

export const COLLECTORS: readonly Collector[] = [
  platform,
  distribution,
  apparmor,
  capabilities,
  chroot,
  cmdline,
  dateTime,
  dns,
  env,
  fips,
  local,
  lsb,
  packageManager,
  python,
  selinux,
  serviceManager,
  systemd,
  sshKeys,
  user,
  load,
  hardware,
  network,
  virtual,
  fibreChannel,
  iscsi,
  nvme,
  ...absent,
];
