import { chmodSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { expect } from 'chai';
import fc from 'fast-check';
import { type InventoryOptions, loadInventory } from '../../../src/engine/inventory/inventory.ts';
import { TrustedTemplate, VaultText } from '../../../src/engine/values.ts';
import { VaultSecrets } from '../../../src/engine/vault/secrets.ts';
import { formatProblem, InvalidInput } from '../../../src/shared/errors.ts';

const SECRETS = new VaultSecrets([{ label: 'default', password: 'pw' }]);

describe('inventory sources', () => {
  let directory: string;
  beforeEach(() => {
    directory = mkdtempSync(join(tmpdir(), 'tsprov-inventory-'));
  });
  afterEach(() => rmSync(directory, { recursive: true }));

  function write(name: string, text: string, mode = 0o644): string {
    const path = join(directory, name);
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, text);
    chmodSync(path, mode);
    return path;
  }

  function load(name: string, text: string, options: InventoryOptions = {}) {
    return loadInventory([write(name, text)], options);
  }

  function problemsOf(name: string, text: string, mode?: number): string[] {
    const path = write(name, text, mode);
    try {
      loadInventory([path]);
    } catch (error) {
      if (!(error instanceof InvalidInput)) throw error;
      return error.problems.map((problem) =>
        formatProblem(problem).replaceAll(`${directory}/`, ''),
      );
    }
    return expect.fail('nothing was refused');
  }

  it('report every mistake of an INI file with its place', () => {
    const text = [
      '[web]',
      'w1 port',
      'w2 a="b',
      'w[1:x]',
      'w[3:1]',
      '[web:stuff]',
      '[web vars]',
      '[web:vars]',
      'nothing',
      '[gone:vars]',
      'a=1',
      '[top:children]',
      'missing',
      'two words',
      'top',
    ].join('\n');
    expect(problemsOf('hosts', text)).to.deep.equal([
      'hosts:2:4  "port" is not a variable of a host (write name=value, one host on each line; quote a value with spaces)',
      'hosts:3:1  a quote is not closed: "b',
      'hosts:4:1  the range [1:x] is neither of numbers nor of letters',
      'hosts:5:1  the range [3:1] ends before it begins',
      'hosts:6:1  the section [web:stuff] is of an unknown kind (children and vars exist)',
      'hosts:7:1  [web vars] is not a section header (write [group], [group:children] or [group:vars])',
      'hosts:9:1  "nothing" is not a variable (write name=value)',
      'hosts:10:1  the group "gone" has variables but is not defined (add a section [gone])',
      'hosts:13:1  the group "missing" is not defined (add a section [missing])',
      'hosts:14:1  "two words" is not the name of a group',
      'hosts:15:1  the group "top" would contain itself: top > top',
    ]);
  });

  it('report every mistake of a YAML file with its place', () => {
    const text = [
      'web:',
      '  hosts:',
      '    - w1',
      '  vars: [a]',
      'db:',
      '  hosts:',
      '    d1: yes',
      '    d[1:: {}',
      '    "d[2:1]":',
      'x: 5',
      'y: {vars: {ansible_group_priority: high}}',
    ].join('\n');
    expect(problemsOf('hosts.yml', text.replace('    d[1:: {}\n', ''))).to.have.members([
      'hosts.yml:3:5  the hosts of the group "web" are not a mapping (write "name:" for each, without a dash)',
      'hosts.yml:4:9  the vars of the group "web" are not a mapping (write "name:" for each, without a dash)',
      'hosts.yml:7:9  the variables of the host "d1" are not a mapping (write name: value lines)',
      'hosts.yml:8:5  the range [2:1] ends before it begins',
      'hosts.yml:9:4  the group "x" is not a mapping (give it hosts, vars or children)',
      'hosts.yml:10:36  ansible_group_priority high is not a whole number',
    ]);
  });

  it('refuse a group that contains itself, however far around', () => {
    expect(
      problemsOf('a.ini', '[a:children]\nb\n[b:children]\nc\n[c:children]\na\n'),
    ).to.deep.equal(['a.ini:6:1  the group "c" would contain itself: c > a > c']);
    expect(problemsOf('a.yml', 'a: {children: {b: {children: {a: }}}}')[0]).to.include(
      'the group "b" would contain itself',
    );
  });

  it('warn of keys that a group does not have', () => {
    const { warnings } = load('a.yml', 'web:\n  host:\n    w1:\n');
    expect(warnings.map(({ message }) => message)).to.deep.equal([
      'the key "host" of the group "web" is ignored',
    ]);
  });

  it('refuse what is missing and what is not supported, and say what to do', () => {
    expect(() => loadInventory([join(directory, 'none')])).to.throw('none does not exist');
    expect(() => loadInventory(['web1'])).to.throw(
      'the inventory web1 does not exist (a list of hosts needs a comma: -i web1,)',
    );
    expect(problemsOf('x.toml', '[g')[0]).to.include('x.toml:1:1  this is not TOML: ');
    expect(problemsOf('y.toml', '[g]\nhosts = ["h"]')[0]).to.include(
      'the hosts of the group "g" are not a mapping',
    );
    expect(problemsOf('x.yml', 'plugin: aws_ec2')[0]).to.include(
      'x.yml:1:1  the inventory plugin "aws_ec2" is not supported',
    );
    const { warnings } = loadInventory([join(directory, 'none')], { allowMissing: true });
    expect(warnings[0]?.message).to.include('none does not exist');
  });

  it('report the mistakes of every file of a directory at once', () => {
    write('d/1.yml', 'a: 1');
    write('d/2.ini', '[x:y]');
    expect(() => loadInventory([join(directory, 'd')])).to.throw(
      InvalidInput,
      /1\.yml:1:4[\s\S]*2\.ini:1:1/,
    );
  });

  for (const [what, body, message] of [
    ['fails', 'echo oops >&2; exit 3', 'the inventory script ended with status 3'],
    ['prints no JSON', 'echo "{nonsense"', '--list:'],
    ['prints a list', 'echo "[]"', 'the output of the script is not a mapping'],
    [
      'gives hosts that are no list',
      `echo '{"g": {"hosts": 5}}'`,
      'the hosts of the group "g" are not a list',
    ],
    [
      'makes a cycle',
      `echo '{"a": {"children": ["b"]}, "b": {"children": ["a"]}, "_meta": {}}'`,
      'would contain itself',
    ],
  ] as const) {
    it(`refuse a script that ${what}`, () => {
      expect(
        problemsOf('inventory', `#!/bin/sh\n${body} 2>/dev/null\n`, 0o755).join('\n'),
      ).to.include(message);
    });
  }

  it('say how to make a script executable', () => {
    expect(problemsOf('inventory', '#!/bin/sh\n')[0]).to.match(
      /cannot be run: .*EACCES.*\(chmod \+x/,
    );
  });

  it('report a file that cannot be read', () => {
    mkdirSync(join(directory, 'group_vars'));
    symlinkSync('gone', join(directory, 'group_vars', 'all.yml'));
    const inventory = loadInventory([write('hosts', 'h\n')]);
    expect(() => inventory.hostVars('h')).to.throw(
      InvalidInput,
      'all.yml cannot be read: it does not exist',
    );
  });

  it('read an executable file that is plainly data as data', () => {
    expect(loadInventory([write('hosts.yml', 'g: {hosts: {h: }}', 0o755)]).hosts).to.deep.equal([
      'h',
    ]);
    expect(loadInventory([write('hosts', 'h2\n', 0o777)]).hosts).to.deep.equal(['h2']);
  });

  it('open vaulted inventories and variable files', () => {
    const path = write('hosts.yml', SECRETS.encrypt('g: {hosts: {h: }}'));
    write('group_vars/g.yml', SECRETS.encrypt('token: s3cret'));
    write(
      'host_vars/h',
      `inline: !vault |\n  ${SECRETS.encrypt('deep').replaceAll('\n', '\n  ')}\n`,
    );
    const vars = loadInventory([path], { secrets: SECRETS }).hostVars('h');
    const inline = vars.get('inline');
    expect(vars.get('token')).to.equal('s3cret');
    expect(inline instanceof VaultText && inline.plain()).to.equal('deep');
  });

  it('make templates of the variables that the user wrote, with their places', () => {
    const vars = load(
      'hosts',
      'h a="{{ b }}" l="[\'{{ c }}\']"\n[all:vars]\nx = {{ y }}\n',
    ).hostVars('h');
    const [a, x] = [vars.get('a'), vars.get('x')];
    expect(a instanceof TrustedTemplate && a.position).to.include({ line: 1, column: 5 });
    expect(x instanceof TrustedTemplate && x.position).to.include({ line: 3, column: 5 });
    expect(vars.get('l')).to.deep.equal([
      new TrustedTemplate('{{ c }}', { file: join(directory, 'hosts'), line: 1, column: 17 }),
    ]);
  });

  it('give hosts the file that names them first', () => {
    const first = write('a/hosts', 'h1\n');
    const second = write('b/hosts', 'h1\nh2\n');
    const inventory = loadInventory([first, second, 'h3,']);
    expect(inventory.sourceOf('h1')).to.deep.equal({
      directory: join(directory, 'a'),
      file: first,
    });
    expect(inventory.sourceOf('h2')?.file).to.equal(second);
    expect(inventory.sourceOf('h3')).to.deep.equal({ directory: undefined, file: 'h3,' });
  });

  it('never fail with anything but InvalidInput, whatever they hold', () => {
    const piece = fc.constantFrom(
      '[',
      ']',
      ':',
      'a',
      'all',
      '=',
      '"',
      "'",
      ' ',
      '\n',
      '#',
      '1',
      '{',
      '}',
      'vars',
      'children',
      '-',
      ',',
      '\\',
      '@',
      '(',
      '.',
      '::1',
    );
    const path = join(directory, 'any');
    fc.assert(
      fc.property(
        fc.array(piece, { maxLength: 40 }),
        fc.constantFrom('.ini', '.yml', ''),
        (pieces, extension) => {
          writeFileSync(path + extension, pieces.join(''));
          try {
            loadInventory([path + extension]).select('all');
          } catch (error) {
            if (!(error instanceof InvalidInput)) throw error;
          }
        },
      ),
      { numRuns: 400 },
    );
  });
});
