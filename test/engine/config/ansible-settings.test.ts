import { readFileSync } from 'node:fs';
import { expect } from 'chai';
import { SETTINGS } from '../../../src/engine/config/config-settings.ts';
import type { Setting } from '../../../src/engine/config/config-value.ts';
import { MEANINGLESS, UNSUPPORTED } from '../../../src/engine/config/other-settings.ts';
import { type ConfigPlace, loadConfig } from '../../../src/engine/config.ts';
import { makeWorld } from '../../support/play-here.ts';

/** Every setting of ansible-core 2.19 and of its own plugins, with its names: `ansible-config list -t all`. */
const NAMES: Readonly<Record<string, readonly string[]>> = JSON.parse(
  readFileSync(new URL('ansible-settings.json', import.meta.url), 'utf8'),
);
const HONOURED = new Set(
  Object.values<Setting<unknown>>(SETTINGS).flatMap(({ keys, variables }) => [
    ...keys,
    ...variables.map((name) => `ANSIBLE_${name}`),
  ]),
);
const WARNED = new Set(UNSUPPORTED.flatMap(({ names }) => names));

function warningsOf(given: { file?: string; environment?: ConfigPlace['environment'] }): string[] {
  const { file = '', environment = {} } = given;
  const world = makeWorld({ 'ansible.cfg': file });
  const { directory } = world;
  try {
    return loadConfig({ directory, home: directory, environment }).warnings.map(
      (each) => each.message,
    );
  } finally {
    world.remove();
  }
}

describe('every setting of Ansible', () => {
  for (const [setting, names] of Object.entries(NAMES)) {
    it(`${setting} is honoured, warned of or without a meaning`, () => {
      const kinds = names.map(
        (name) => [HONOURED, WARNED, MEANINGLESS].filter((set) => set.has(name)).length,
      );
      expect(kinds, names.join(' ')).to.deep.equal(names.map(() => 1));
    });
  }

  it('that has no effect is warned of by name, once', () => {
    for (const name of WARNED) {
      const [section, key] = name.split('.');
      const given =
        key === undefined
          ? { environment: { [name]: '1' } }
          : { file: `[${section}]\n${key} = 1\n` };
      expect(warningsOf(given), name).to.have.length(1);
      expect(warningsOf(given)[0]).to.match(new RegExp(`^${name} has no effect: `));
    }
  });

  it('that has no effect is not warned of where it asks for what holds anyway', () => {
    const environment = { ANSIBLE_DISPLAY_TRACEBACK: 'never', ANSIBLE_DISPLAY_FAILED_STDERR: '0' };
    const file = '[defaults]\ndisplay_traceback = Never\ndisplay_failed_stderr = no\n';
    expect(warningsOf({ file, environment })).to.deep.equal([]);
    const other = { ANSIBLE_DISPLAY_TRACEBACK: 'always', ANSIBLE_DISPLAY_FAILED_STDERR: 'yes' };
    expect(warningsOf({ environment: other })).to.have.length(2);
  });

  it('that does not exist is taken for a slip', () => {
    expect(warningsOf({ file: '[defaults]\nfork = 3\nnocows = 1\n[mine]\nx = 1\n' })).to.deep.equal(
      ['there is no setting defaults.fork'],
    );
  });
});
