import type { UnitState } from '../host-contract.ts';

/** What `systemctl show` printed about a unit. A property's further lines belong to it. */
export function parseUnit(name: string, text: string): UnitState {
  const properties: Record<string, string> = {};
  let last = '';
  for (const line of text.replace(/\n$/, '').split('\n')) {
    const [, key, value = ''] = /^([A-Z]\w*)=(.*)$/.exec(line) ?? [];
    if (key !== undefined) properties[key] = value;
    else if (last !== '') properties[last] += `\n${line}`;
    last = key ?? last;
  }
  const load = properties['LoadState'] ?? 'not-found';
  return {
    name,
    exists: load !== 'not-found',
    active: properties['ActiveState'] ?? 'inactive',
    enabled: properties['UnitFileState'] ?? '',
    properties,
  };
}
