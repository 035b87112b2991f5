import { expect } from 'chai';
import { TrustedTemplate, type Value, VaultText } from '../../../src/engine/values.ts';
import { parseAllYamlData, parseYaml, parseYamlData } from '../../../src/engine/yaml.ts';
import { toValue, type YamlNode } from '../../../src/engine/yaml-node.ts';
import { InvalidInput } from '../../../src/shared/errors.ts';

describe('YAML documents', () => {
  it('remember where keys, values and list items were written', () => {
    const root = parse('- name: x\n  copy:\n    mode: "0644"\n').root;
    const task = itemsOf(root)[0];
    const copy = entriesOf(task)[1];
    const mode = entriesOf(copy?.node)[0];
    expect(task?.position).to.include({ line: 1, column: 3 });
    expect(copy?.keyPosition).to.include({ file: 'x.yml', line: 2, column: 3 });
    expect(mode?.keyPosition).to.include({ line: 3, column: 5 });
    expect(mode?.node.position).to.include({ line: 3, column: 11 });
  });

  it('make templates of trusted text only, each with the place where its text begins', () => {
    const text = 'a: "{{ x }}"\nb: |\n\n    {% y %}\nc: plain {%- z %}\nd: none\n';
    const value = toValue(parse(text).root);
    expect(template(value, 'a')).to.deep.equal(['{{ x }}', 1, 5]);
    expect(template(value, 'b')).to.deep.equal(['\n{% y %}\n', 4, 5]);
    expect(template(value, 'c')).to.deep.equal(['plain {%- z %}', 5, 4]);
    expect(member(value, 'd')).to.equal('none');
    expect(member(parseYamlData(text), 'a')).to.equal('{{ x }}');
  });

  it('keep text under !unsafe from being rendered, all the way down', () => {
    const value = toValue(parse('a: !unsafe "{{ x }}"\nb: !unsafe\n  c: ["{{ y }}"]\n').root);
    expect(value).to.deep.equal(
      new Map<string, Value>([
        ['a', '{{ x }}'],
        ['b', new Map([['c', ['{{ y }}']]])],
      ]),
    );
  });

  it('open !vault scalars when they are used and not before', () => {
    const opened: string[] = [];
    const decrypt = (vault: VaultText) => {
      opened.push(vault.ciphertext);
      return 'secret';
    };
    const { root } = parseYaml('a: !vault |\n  $ANSIBLE_VAULT;1.1;AES256\n  6162\n', {
      file: 'x.yml',
      trusted: true,
      decrypt,
    });
    const vault = member(toValue(root), 'a');
    expect(opened).to.deep.equal([]);
    expect(vault instanceof VaultText && vault.plain()).to.equal('secret');
    expect(opened).to.deep.equal(['$ANSIBLE_VAULT;1.1;AES256\n6162\n']);
  });

  it('say where an encrypted value is when no password is given', () => {
    const vault = member(toValue(parse('a: !vault |\n  x\n').root), 'a');
    expect(() => vault instanceof VaultText && vault.plain()).to.throw(
      InvalidInput,
      'x.yml:1:11  a value is encrypted, and no vault password is given',
    );
  });

  it('warn of a key written twice, or refuse it, or take it, as configured', () => {
    const text = 'a: 1\nb: 2\na: 3\n';
    const { root, warnings } = parse(text);
    expect(toValue(root)).to.deep.equal(
      new Map([
        ['a', 3],
        ['b', 2],
      ]),
    );
    expect(warnings.map(({ place, message }) => [place?.line, message])).to.deep.equal([
      [3, 'the key "a" is written twice, first on line 1'],
    ]);
    const options = { file: 'x.yml', trusted: true };
    expect(parseYaml(text, { ...options, duplicateKeys: 'ignore' }).warnings).to.deep.equal([]);
    expect(() => parseYaml(text, { ...options, duplicateKeys: 'error' })).to.throw('x.yml:3:1');
  });

  it('give a key of a merged mapping silently to the mapping that has it as its own', () => {
    const { root, warnings } = parse('x: &d {a: 1}\ny:\n  <<: *d\n  a: 2\n');
    expect(warnings).to.deep.equal([]);
    expect(member(toValue(root), 'y')).to.deep.equal(new Map([['a', 2]]));
  });

  it('share what an alias stands for, and refuse aliases that multiply without end', () => {
    const levels = Array.from(
      { length: 12 },
      (_, i) => `l${i + 1}: &l${i + 1} [${`*l${i},`.repeat(9)}]`,
    );
    expect(() => parse(`l0: &l0 [x]\n${levels.join('\n')}\n`)).to.throw(
      'expand to too many values',
    );
  });

  it('are JSON where the text is JSON', () => {
    expect(
      toValue(parse('{"a": 1e3, "b": "{{ x }}",\n\t"c": [true, null, 08]}').root),
    ).to.be.instanceOf(Map);
    const value = toValue(
      parse('{\n\t"a": 12345678901234567890,\t"b": "y", "c": "\\ud83d\\ude00"\n}').root,
    );
    expect(value).to.deep.equal(
      new Map<string, Value>([
        ['a', 12345678901234567890n],
        ['b', 'y'],
        ['c', '😀'],
      ]),
    );
  });

  it('may be many in one text only where many are asked for', () => {
    expect(parseAllYamlData('a: 1\n---\n- b\n---\n')).to.deep.equal([
      new Map([['a', 1]]),
      ['b'],
      null,
    ]);
    expect(parseAllYamlData('')).to.deep.equal([]);
    expect(() => parse('a: 1\n---\nb: 2\n')).to.throw(
      'x.yml:2:1  a second YAML document begins here',
    );
  });
});

describe('YAML mistakes', () => {
  const mistakes: [text: string, message: string][] = [
    ['a:\n\tb: 1\n', 'x.yml:2:1  a tab is used for indentation (indent with spaces)'],
    [
      '- a:\n    b: 1\n- name: y\n\tc:\n',
      'x.yml:4:2  a tab is used for indentation (indent with spaces)',
    ],
    [
      '- name: {{ x }}\n',
      'x.yml:1:9  a value that starts with "{{" or "{%" is not quoted (write the whole value',
    ],
    ['path: {{ x }}/y\n', 'x.yml:1:14  a value that starts with "{{" or "{%" is not quoted'],
    [
      'msg: note: this\n',
      'x.yml:1:6  a mapping is not allowed here (quote the value if it contains ": "',
    ],
    ['a: =\n', 'x.yml:1:4  a bare = has a special meaning in YAML (quote it)'],
    ['when: 2024-02-30\n', 'x.yml:1:7  the date 2024-02-30 does not exist'],
    [
      'a: "b\u0007"\n',
      'x.yml:1:6  the character U+0007 is not allowed in YAML (remove or escape it)',
    ],
    ['a: *b\n', 'x.yml:1:4  the alias *b names no anchor before it'],
    ['a: !foo 1\n', 'x.yml:1:9  the tag !foo is not known (Ansible knows !vault and !unsafe)'],
    ['? [a]\n: 1\n', 'x.yml:1:3  a list or a mapping cannot be a key'],
    ['<<: [1]\n', 'x.yml:1:6  a merge key takes a mapping or a list of mappings'],
  ];
  const late = 'a mapping is not allowed here (check the indentation, and whether the line before';
  mistakes.push(
    ['- a: b\n   c:\n    d: 1\n', `x.yml:2:5  ${late}`],
    ['- debug\n    msg: x\n', `x.yml:2:8  ${late}`],
    ['a b\n c  : 1\n', `x.yml:2:3  ${late}`],
    ['a:1\nb: 2\n', `x.yml:2:2  ${late}`],
    ['x\ny\nz: 1\n', `x.yml:3:2  ${late}`],
    ['"a\nb": 1\n', `x.yml:2:3  ${late}`],
  );
  for (const [text, message] of mistakes) {
    it(`in ${JSON.stringify(text)} are explained at their place`, () => {
      expect(() => parse(text)).to.throw(InvalidInput, message);
    });
  }

  it('are reported without what follows from them', () => {
    expect(
      problemsOf('- a: {b: c[4]}\n- d: e\n- f\n').map(({ place }) => place?.line),
    ).to.deep.equal([1]);
  });

  it('are all reported at once', () => {
    const problems = problemsOf('a: {{ x }}\nb: 1\nc: *gone\nd: 2024-13-01\n');
    expect(problems.map(({ place }) => place?.line)).to.deep.equal([1, 3, 4]);
  });
});

function parse(text: string) {
  return parseYaml(text, { file: 'x.yml', trusted: true });
}

function problemsOf(text: string) {
  try {
    parse(text);
  } catch (error) {
    if (error instanceof InvalidInput) return error.problems;
    throw error;
  }
  return expect.fail('nothing was refused');
}

function itemsOf(node: YamlNode | undefined) {
  return node?.kind === 'list' ? node.items : [];
}

function entriesOf(node: YamlNode | undefined) {
  return node?.kind === 'map' ? node.entries : [];
}

function member(value: Value, key: string): Value | undefined {
  return value instanceof Map ? value.get(key) : undefined;
}

function template(value: Value, key: string): [string, number | undefined, number | undefined] {
  const found = member(value, key);
  if (!(found instanceof TrustedTemplate)) return expect.fail(`${key} is no template`);
  return [found.text, found.position?.line, found.position?.column];
}
