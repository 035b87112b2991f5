import { sh } from '../../shared/shell.ts';
import { lines, type Sections } from './collector.ts';

export const LVM_SCRIPT = sh`if [ "$(id -u)" = 0 ] && has vgs; then
for c in lvs vgs pvs; do s "$c"; "$c" --noheadings --nosuffix --units g --separator ,; done; fi`;

/** Volumes, groups and physical volumes, sizes in gibibytes as text; `N/A` without LVM's tools or rights. */
export function parseLvm(sections: Sections): unknown {
  if (!sections.has('vgs')) return 'N/A';
  const table = (name: string) => lines(sections, name).map((line) => line.trim().split(','));
  const lvs = table('lvs').map(([name = '', vg, , size]) => [name, { size_g: size, vg }]);
  const vgs = table('vgs').map(([name = '', num_pvs, num_lvs, , , size, free]) => {
    return [name, { size_g: size, free_g: free, num_lvs, num_pvs }];
  });
  const pvs = table('pvs').map(([name = '', vg, , , size, free]) => {
    return [name, { size_g: size, free_g: free, vg }];
  });
  const [lv, vg, pv] = [lvs, vgs, pvs].map((entries) => Object.fromEntries(entries));
  return { lvs: lv, vgs: vg, pvs: pv };
}
