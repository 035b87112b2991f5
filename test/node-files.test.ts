/** The small files of a prepared node, as the templates make them from what the roles give. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'chai';
import { renderHandlebars } from '../src/engine/template/handlebars.ts';
import { type Dict, fromPlain } from '../src/engine/values.ts';
import { parseYamlData } from '../src/engine/yaml.ts';
import { ROOT } from './support/source-files.ts';

function render(template: string, entries: unknown): string {
  const file = join(ROOT, 'templates', template);
  const variables = fromPlain({ entries }) as Dict; // A plain object becomes a dict.
  return renderHandlebars(readFileSync(file, 'utf8'), { file, variables });
}

const vars = parseYamlData(
  readFileSync(join(ROOT, 'playbooks/roles/kernel/vars/main.yml'), 'utf8'),
  'vars/main.yml',
) as Dict; // The file of the role is a mapping.

describe('the small files of a node', () => {
  it('name the two modules that are loaded at boot, and nothing else', () => {
    const text = render('modules-load.conf.hbs', vars.get('kernel_modules'));
    expect(text).to.equal('overlay\nbr_netfilter\n');
  });

  it('set the three parameters', () => {
    const lines = render('sysctl.conf.hbs', vars.get('kernel_parameters')).trimEnd().split('\n');
    expect(Object.fromEntries(lines.map((line) => line.split(' = ')))).to.deep.equal({
      'net.bridge.bridge-nf-call-iptables': '1',
      'net.bridge.bridge-nf-call-ip6tables': '1',
      'net.ipv4.ip_forward': '1',
    });
  });
});
