import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { expect } from 'chai';
import { readModules } from '../../scripts/module-files.ts';
import { moduleNames, registry } from '../../src/modules/registry.ts';
import type { Field } from '../../src/shared/schema.ts';
import { checkArgs } from '../../src/shared/validate.ts';
import { type ModuleCase, readCases } from '../support/module-case.ts';
import { runCase } from '../support/run-case.ts';

const CASES_PER_MODULE = 5;
const RESERVED_WORDS = ['package', 'import'];
const isTemplated = (value: unknown) => typeof value === 'string' && value.includes('{{');
const files = await readModules();

describe('the registry of modules', () => {
  it('holds every file of src/modules', async () => {
    expect(Object.keys(registry)).to.deep.equal(files.map(({ module }) => module.name));
    for (const { module } of files) {
      expect((await registry[module.name]?.())?.summary).to.equal(module.summary);
    }
  });

  it('knows every name of every module once', () => {
    const names = files.flatMap(({ module }) => [module.name, ...module.aliases]);
    expect(new Set(names).size, 'names that two modules share').to.equal(names.length);
    for (const { module } of files) {
      for (const name of [module.name, ...module.aliases]) {
        expect(moduleNames[name], name).to.equal(module.name);
      }
    }
  });
});

for (const { file, exported, module } of files) {
  describe(module.name, () => {
    it('is spelt alike in its file, in playbooks and in its export', () => {
      expect(file).to.equal(`${module.name.replaceAll('_', '-')}.ts`);
      const camel = module.name.replace(/_(\w)/g, (_, letter: string) => letter.toUpperCase());
      expect(exported).to.equal(RESERVED_WORDS.includes(camel) ? `${camel}Module` : camel);
    });

    it('is summed up in a sentence and describes all its arguments and results', () => {
      expect(module.summary).to.match(/^[A-Z].*[.]$/);
      for (const [name, text] of Object.entries(module.returns))
        expect(text, name).to.match(/[.]$/);
      expectDescribed(module.args);
    });

    it('has examples that are valid', () => {
      expect(module.examples).not.to.deep.equal([]);
      for (const { title, args } of module.examples) {
        expect(title).to.match(/^[A-Z].*[^.]$/);
        expect(checkArgs(module.args, module, args, { isTemplated }), title).to.deep.equal([]);
      }
    });

    it('names only arguments that it has', () => {
      const names = Object.keys(module.args.shape ?? {});
      const mentioned = [
        ...(module.mutuallyExclusive ?? []).flat(),
        ...(module.requiredTogether ?? []).flat(),
        ...(module.requiredOneOf ?? []).flat(),
        ...(module.requiredIf ?? []).flatMap(({ argument, needs }) => [argument, ...needs]),
        ...Object.entries(module.requiredBy ?? {}).flatMap(([name, needs]) => [name, ...needs]),
        ...(module.asWritten ?? []),
      ];
      expect(names).to.include.members(mentioned);
    });

    describeCases(module);
  });
}

function describeCases(module: (typeof files)[number]['module']): void {
  const path = `cases/${module.name.replaceAll('_', '-')}.yaml`;
  const file = fileURLToPath(new URL(path, import.meta.url));
  if (!existsSync(file)) {
    it(`has cases in test/modules/${path}`, () => expect.fail('the file is missing'));
    return;
  }
  const cases = readOrFail(file);
  it(`has at least ${CASES_PER_MODULE} cases, with different names`, () => {
    expect(cases).to.have.length.at.least(CASES_PER_MODULE);
    expect(new Set(cases.map(({ name }) => name)).size).to.equal(cases.length);
  });
  for (const each of cases) it(each.name, () => runCase(module, each));
}

/** A file that is not in the format fails one test, not all of them. */
function readOrFail(file: string): readonly ModuleCase[] {
  try {
    return readCases(file);
  } catch (error) {
    it('has a readable file of cases', () => {
      throw error;
    });
    return [];
  }
}

function expectDescribed(field: Field<unknown>): void {
  for (const [name, member] of Object.entries(field.shape ?? {})) {
    expect(member.description, `the description of ${name}`).to.match(/^[A-Z`].*[.]$/s);
    if (member.element !== undefined) expectDescribed(member.element);
    expectDescribed(member);
  }
}
