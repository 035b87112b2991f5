import type { Reader } from '../../engine/module.ts';
import { closest } from '../../shared/closest.ts';
import { sh } from '../../shared/shell.ts';
import { type Scope, systemctl } from './systemctl.ts';

/** The unit of the host whose name is nearest to one that is missing. */
export async function readMeant(
  host: Reader,
  name: string,
  scope: Scope,
): Promise<string | undefined> {
  const words = ['list-unit-files', '--no-legend', '--no-pager'];
  const call = systemctl(words, { scope, no_block: false, force: false });
  const { stdout } = await host.read(sh`${call} 2>/dev/null`);
  const units = stdout.split('\n').flatMap((line) => line.split(' ', 1).filter(Boolean));
  const isFull = /\.\w+$/.test(name);
  const names = units.map((unit) => (isFull ? unit : unit.replace(/\.service$/, '')));
  return closest(name, names);
}
