import { sh } from '../../shared/shell.ts';
import { Float } from '../values.ts';
import { type Collector, lines, section } from './collector.ts';

/** Whether the shell's root directory is another than that of process 1. */
export const chroot: Collector = {
  name: 'chroot',
  ids: ['is_chroot'],
  script: sh`s chroot; printf '%s\\n' "$debian_chroot"; stat -Lc '%d %i' / /proc/1/root/.`,

  parse(sections) {
    const [marker = '', root = '', init = root] = section(sections, 'chroot').split('\n');
    if (marker !== '') return { is_chroot: true };
    if (init !== '') return { is_chroot: root !== init };
    // Process 1 is not ours to look at: the root of an ext file system is inode 2.
    return { is_chroot: root.split(' ')[1] !== '2' };
  },
};

/** Mean number of runnable processes. */
export const load: Collector = {
  name: 'loadavg',
  script: sh`f loadavg /proc/loadavg`,

  parse(sections) {
    const [one = '0', five = '0', fifteen = '0'] = (lines(sections, 'loadavg')[0] ?? '').split(' ');
    return { loadavg: { '1m': float(one), '5m': float(five), '15m': float(fifteen) } };
  },
};

function float(text: string): number | Float {
  const number = Number(text);
  return Number.isInteger(number) ? new Float(number) : number;
}
