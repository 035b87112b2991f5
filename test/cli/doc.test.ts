import { expect } from 'chai';
import fc from 'fast-check';
import { renderDoc } from '../../src/cli/commands/doc.ts';
import { renderPlainYaml } from '../../src/cli/output/plain-yaml.ts';
import { toPlain } from '../../src/engine/values.ts';
import { parseYamlData } from '../../src/engine/yaml.ts';
import { InvalidInput } from '../../src/shared/errors.ts';

describe('tsprov doc', () => {
  it('lists every module with its summary', async () => {
    const list = await renderDoc([], {});
    expect(list).to.match(/^assert\s+Fail unless conditions hold\.$/m);
  });

  it('shows arguments, rules, examples and results of a module', async () => {
    const text = await renderDoc(['ansible.builtin.include_vars'], {});
    expect(text).to.include('> INCLUDE_VARS    (ansible.builtin.include_vars)');
    expect(text).to.include('- hash_behaviour');
    expect(text).to.include('choices: replace, merge');
    expect(text).to.include('* Only one of `file`, `dir`.');
    expect(text).to.include('- name: Read a file\n  include_vars:');
  });

  it('marks a required argument', async () => {
    expect(await renderDoc(['assert'], {})).to.include('= that');
  });

  it('gives data', async () => {
    const data = JSON.parse(await renderDoc(['ping'], { json: true }));
    expect(data.ping.arguments[0]).to.include({ name: 'data', type: 'str', default: 'pong' });
  });

  it('gives a task to start from, which is YAML', async () => {
    const snippet = await renderDoc(['setup'], { snippet: true });
    const [task] = toPlain(parseYamlData(snippet)) as Record<string, unknown>[]; // A list of one task.
    expect(task?.['ansible.builtin.setup']).to.include({ gather_timeout: 10 });
  });

  it('guesses which module was meant', async () => {
    const error = await renderDoc(['inlcude_vars'], {}).catch((thrown: unknown) => thrown);
    expect(error).to.be.instanceOf(InvalidInput);
    expect(String(error)).to.include('did you mean "include_vars"?');
  });
});

describe('the YAML of examples', () => {
  const data = fc.letrec((tie) => ({
    value: fc.oneof(
      { maxDepth: 3 },
      fc.string(),
      fc.constantFrom(
        'yes',
        'null',
        '1',
        '1:30',
        '2020-01-01',
        'a: b',
        '# c',
        '- d',
        'x\ny\n',
        '~',
        '0x1f',
        '1e3',
      ),
      fc.boolean(),
      fc.integer(),
      fc.constant(null),
      fc.array(tie('value')),
      fc.dictionary(fc.string(), tie('value')),
    ),
  })).value;

  it('reads back as what was written', () => {
    fc.assert(
      fc.property(data, (value) => {
        expect(toPlain(parseYamlData(`${renderPlainYaml(value)}\n`))).to.deep.equal(value);
      }),
      { numRuns: 300 },
    );
  });
});
