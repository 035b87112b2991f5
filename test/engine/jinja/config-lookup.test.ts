import { expect } from 'chai';
import type { JinjaHost } from '../../../src/engine/jinja/host.ts';
import { TrustedTemplate, type Value } from '../../../src/engine/values.ts';
import { host, jinja, POSITION, scopeOf } from './evaluate.ts';

const settings: Readonly<Record<string, { value: Value; origin: string }>> = {
  DEFAULT_REMOTE_USER: { value: 'ops', origin: '/etc/ansible/ansible.cfg' },
  DEFAULT_REMOTE_PORT: { value: null, origin: 'default' },
  DEFAULT_FORKS: { value: 9, origin: 'env: ANSIBLE_FORKS' },
};
const here: JinjaHost = { ...host, setting: (name) => settings[name] };

/** What the arguments of the lookup give on a host with some variables. */
function looked(args: string, variables = {}): unknown {
  const template = new TrustedTemplate(`{{ query('config', ${args}) }}`, POSITION);
  return jinja.renderValue(template, scopeOf(variables), here);
}

const SSH = "plugin_type='connection', plugin_name='ssh'";
const SUDO = "plugin_type='become', plugin_name='ansible.builtin.sudo'";

describe('the config lookup', () => {
  it('gives a setting, and where it comes from', () => {
    expect(looked("'DEFAULT_FORKS'")).to.deep.equal([9]);
    expect(looked("'DEFAULT_FORKS', show_origin=true")).to.deep.equal([[9, 'env: ANSIBLE_FORKS']]);
  });

  it('gives options of plugins from variables, settings and defaults, in this order', () => {
    const options = `'remote_user', 'port', ${SSH}, show_origin=true`;
    expect(looked(options)).to.deep.equal([
      ['ops', '/etc/ansible/ansible.cfg'],
      [null, 'default'],
    ]);
    expect(looked(options, { ansible_user: 'ann', ansible_port: 2222 })).to.deep.equal([
      ['ann', 'var: ansible_user'],
      [2222, 'var: ansible_port'],
    ]);
    expect(looked(`'become_user', ${SUDO}`)).to.deep.equal(['root']);
  });

  it('leaves out what is missing where it may', () => {
    expect(looked(`'nosuch', 'timeout', ${SSH}, on_missing='skip'`)).to.deep.equal([10]);
  });

  const WRONG: readonly (readonly [args: string, why: RegExp])[] = [
    ["'NO_SUCH'", /no setting "NO_SUCH"/],
    ["'port', plugin_type='connection'", /given together/],
    ["'port', plugin_type='nosuch', plugin_name='ssh'", /plugin_type is one of become, /],
    ["'port', plugin_type='lookup', plugin_name='file'", /known are: connection ssh/],
    ["'port', on_missing='warm'", /"error", "warn" or "skip"/],
  ];
  for (const [args, why] of WRONG) {
    it(`refuses ${args}`, () => expect(() => looked(args)).to.throw(why));
  }
});
