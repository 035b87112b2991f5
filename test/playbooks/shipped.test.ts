/** The playbooks and roles that are shipped: what holds for each of them. */
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'chai';
import { toPlain } from '../../src/engine/values.ts';
import { parseYamlData } from '../../src/engine/yaml.ts';
import { ROOT } from '../support/source-files.ts';
import { runTsprov } from '../support/tsprov.ts';

const ROLES = join(ROOT, 'playbooks/roles');
/** What the playbooks ask of a step of preparing nodes. */
const TASKS = ['main', 'verify', 'check', 'reset'];
const PREPARATION = readFileSync(join(ROOT, 'playbooks/prepare-node.yaml'), 'utf8');

interface Option {
  readonly type?: string;
  readonly description?: string;
  readonly default?: unknown;
}

interface EntryPoint {
  readonly short_description?: string;
  readonly options?: Readonly<Record<string, Option>>;
}

/** A file of a role, whose form the tests below look at; undefined where it is not there. */
function read<T>(role: string, file: string): T | undefined {
  const path = join(ROLES, role, file);
  if (!existsSync(path)) return undefined;
  return toPlain(parseYamlData(readFileSync(path, 'utf8'), path)) as T;
}

const playbooks = readdirSync(join(ROOT, 'playbooks')).filter((name) => name.endsWith('.yaml'));
const roles = readdirSync(ROLES);

describe('the playbooks that are shipped', () => {
  for (const name of playbooks) {
    it(`have no problems: ${name}`, async () => {
      const command = ['validate', join('playbooks', name)];
      const { code, stderr } = await runTsprov(command, { cwd: ROOT });
      expect(code, stderr).to.equal(0);
    });
  }

  it('have roles for their steps', () => {
    expect(roles).to.include.members(['swap', 'boot', 'kernel']);
  });
});

for (const role of roles) {
  describe(`the role ${role}`, () => {
    const specs = read<{ argument_specs: Readonly<Record<string, EntryPoint>> }>(
      role,
      'meta/argument_specs.yml',
    )?.argument_specs;
    const options = specs?.['main']?.options ?? {};
    const hasTasks = (name: string) => existsSync(join(ROLES, role, `tasks/${name}.yml`));

    it('describes every variable, with its type', () => {
      for (const [name, option] of Object.entries(options)) {
        expect(option.description, name).to.match(/^[A-Z`].*[.]$/s);
        expect(option.type, name).to.be.a('string');
      }
    });

    it('has a default for every variable, as it is described', () => {
      const defaults = read<Record<string, unknown>>(role, 'defaults/main.yml') ?? {};
      expect(Object.keys(options).sort()).to.deep.equal(Object.keys(defaults).sort());
      for (const [name, option] of Object.entries(options)) {
        const isComputed = String(defaults[name]).includes('{{');
        if (!isComputed) expect(option.default, name).to.deep.equal(defaults[name]);
      }
    });

    it('says what each of its entries does, and takes the same variables in all', () => {
      const isStep = new RegExp(`(role|name): ${role}$`, 'm').test(PREPARATION);
      for (const name of isStep ? TASKS : Object.keys(specs ?? {}).filter(hasTasks)) {
        expect(hasTasks(name), `tasks/${name}.yml`).to.equal(true);
        expect(specs?.[name]?.short_description, name).to.match(/^[A-Z].*[.]$/);
        expect(specs?.[name]?.options, name).to.deep.equal(options);
      }
    });
  });
}
