import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { Jinja, NotSpeculable, TemplateError } from '../../../src/engine/jinja/jinja.ts';
import { ownText } from '../../../src/engine/own-text.ts';
import { OMIT, TrustedTemplate, type Value, VaultText } from '../../../src/engine/values.ts';
import { seal } from '../../../src/engine/vault/cipher.ts';
import { formatEnvelope } from '../../../src/engine/vault/envelope.ts';
import { failure, host, jinja, POSITION, renderTemplate, scopeOf } from './evaluate.ts';
import { asPlaybookData } from './oracle-harness.ts';

const template = (text: string) => new TrustedTemplate(text, POSITION);

describe('Rendering values', () => {
  it('renders templates at any depth and leaves keys and plain strings alone', () => {
    const value = new Map<Value, Value>([['{{ k }}', [template('{{ n }}'), '{{ n }}']]]);
    const rendered = jinja.renderValue(value, scopeOf({ n: 3 }), host);
    expect(rendered).to.deep.equal(new Map([['{{ k }}', [3, '{{ n }}']]]));
  });

  it('never renders what a variable, a lookup or a filter gives', () => {
    const data = "{{ lookup('pipe', 'id') }}";
    expect(renderTemplate('{{ data }}', { data })).to.equal(data);
    expect(renderTemplate('{{ data | upper | lower }}', { data })).to.equal(data);
    expect(renderTemplate("{{ [data] | map('string') | first }}", { data })).to.equal(data);
    expect(renderTemplate("{{ lookup('items', data) }}", { data })).to.equal(data);
  });

  it('renders the terms of lookups, and neither what is given by name nor what is no literal', () => {
    const render = (call: string) => renderTemplate(`{{ ${call} }}`, { x: 7 });
    for (const call of ["q('list', '{{ x }}')", "q('list', *['{{ x }}'])"]) {
      expect(render(call), call).to.deep.equal([7]);
    }
    for (const given of ["default='{{ x }}'", "**{'default': '{{ x }}'}"]) {
      expect(render(`lookup('env', 'TSPROV_NONE', ${given})`), given).to.equal('{{ x }}');
    }
    expect(render("lookup('list', '{{ x' ~ ' }}')")).to.equal('{{ x }}');
  });

  it('finds no items in a skipped result that subelements is given', () => {
    const skipped = "{{ query('subelements', {'skipped': true}, 'mysql.hosts') }}";
    expect(renderTemplate(skipped, {})).to.deep.equal([]);
  });

  it('gives a container without templates back as it is', () => {
    const plain = new Map<Value, Value>([['a', [1, 'x']]]);
    expect(jinja.renderValue(plain, scopeOf({}), host)).to.equal(plain);
  });

  it('leaves members out that are omit and gives omit itself back', () => {
    const omitted = template('{{ nosuch | default(omit) }}');
    const value = new Map<Value, Value>([
      ['a', omitted],
      ['b', [omitted, 1]],
    ]);
    expect(jinja.renderValue(value, scopeOf({}), host)).to.deep.equal(new Map([['b', [1]]]));
    expect(jinja.renderValue(omitted, scopeOf({}), host)).to.equal(OMIT);
  });

  it('opens secrets only when they are used', () => {
    let opened = 0;
    const secret = new VaultText('$ANSIBLE_VAULT', undefined, () => {
      opened += 1;
      return 'hidden';
    });
    expect(renderTemplate('{{ other }}', { secret, other: 1 })).to.equal(1);
    expect(renderTemplate('{{ secret is vault_encrypted }}', { secret })).to.equal(true);
    expect(opened).to.equal(0);
    expect(renderTemplate('{{ secret | length }}', { secret })).to.equal(6);
  });

  it('opens a secret with the password of unvault, whatever those of the run', () => {
    const sealed = formatEnvelope(seal(Buffer.from('{{ hidden }}'), 'pw', {}));
    const secret = new VaultText(sealed, undefined, () => expect.fail('opened'));
    expect(renderTemplate("{{ secret | unvault('pw') }}", { secret })).to.equal('{{ hidden }}');
    expect(
      failure(() => renderTemplate("{{ secret | unvault('no') }}", { secret })).message,
    ).to.match(/does not open/);
  });

  it('renders only the member of a variable that is asked for', () => {
    const config = new Map<Value, Value>([
      ['port', 80],
      ['url', template('http://{{ config.port }}')],
      ['broken', template('{{ nosuch }}')],
    ]);
    expect(renderTemplate('{{ config.url }}', { config })).to.equal('http://80');
    expect(renderTemplate("{{ config.broken | default('d') }}", { config })).to.equal('d');
    expect(failure(() => renderTemplate('{{ config }}', { config })).variable).to.equal('nosuch');
  });

  it('changes no variable when a template appends to it', () => {
    const list = [1, [2]];
    expect(
      renderTemplate('{% set x = list %}{{ x.append(3) }}{{ x[1].append(4) }}{{ list }}', { list }),
    ).to.deep.equal([1, [2, 4], 3]);
    expect(list).to.deep.equal([1, [2]]);
  });

  it('uses filters that a library user adds', () => {
    const own = new Jinja({
      extraFilters: { twice: (value) => `${String(value)}${String(value)}` },
    });
    expect(own.evaluate("'ab' | twice", scopeOf({}), host)).to.equal('abab');
  });
});

describe('Errors of templates', () => {
  it('name the undefined variable, what was meant, and the place', () => {
    const error = failure(() => renderTemplate('x: {{ greting }}', { greeting: 'hi' }));
    expect(error.message).to.equal('\'greting\' is undefined (did you mean "greeting"?)');
    expect(error).to.include({ isUndefined: true, variable: 'greting' });
    expect(error.position).to.deep.equal({ file: 'site.yaml', line: 7, column: 18 });
  });

  it('point into the template of the variable that fails', () => {
    const inner = new TrustedTemplate('{{ 1 / 0 }}', { file: 'vars.yaml', line: 2, column: 4 });
    const error = failure(() => renderTemplate('{{ inner }}', { inner }));
    expect(error.message).to.equal('division by zero');
    expect(error.position).to.deep.equal({ file: 'vars.yaml', line: 2, column: 9 });
  });

  it('name the loop of templates that need each other', () => {
    const error = failure(() =>
      renderTemplate('{{ a }}', { a: template('{{ b }}'), b: template('{{ a }}') }),
    );
    expect(error.message).to.equal('recursive loop of templates: {{ b }} -> {{ a }} -> {{ b }}');
  });

  for (const [text, message] of [
    ['{{ a', 'unexpected end of template'],
    ['{{ a b }}', 'unexpected "b"'],
    ['{% if a %}', '{% endif %} is missing'],
    ['{% fi %}', 'unknown tag "fi"'],
    ["{{ 'x }}", 'unexpected character'],
    ['{{ a | sotr }}', 'did you mean "sort"?'],
    ['{{ a is defind }}', 'did you mean "defined"?'],
    ["{{ lookup('fil', 'x') }}", 'did you mean "file"?'],
    ["{{ lookup('url', 'http://x') }}", 'the url lookup is not supported'],
    ['{{ "a" + 1 }}', "unsupported operand types for +: 'str' and 'int'"],
    ['{{ [1] | join(1, 2, 3, 4) }}', 'takes at most 3 arguments'],
    ['{{ 1 | round(bogus=2) }}', "has no argument 'bogus'"],
  ] as const) {
    it(`say what is wrong with ${text}`, () => {
      const error = failure(() => renderTemplate(text, { a: [2, 1] }));
      expect(error.message).to.include(message);
      expect(error.position?.file).to.equal('site.yaml');
    });
  }
});

describe('Conditions', () => {
  const scope = scopeOf({ yes: true, no: false, n: 1, t: template('{{ n == 1 }}') });
  const decide = (condition: Value) => jinja.condition(asPlaybookData(condition), scope, host);

  it('hold when all of a list hold, and tell the first that does not', () => {
    expect(decide(['yes', 'n == 1', 't'])).to.deep.equal({ result: true });
    expect(decide(['yes', 'n == 2', 'nosuch'])).to.deep.equal({
      result: false,
      falseCondition: 'n == 2',
    });
  });

  it('must be boolean', () => {
    expect(failure(() => decide('n')).message).to.include(
      "gives a value of type 'int', not a boolean",
    );
    expect(failure(() => decide(template('{{ n }}'))).position).to.deep.equal(POSITION);
  });

  it('may come through a variable when the user has written them', () => {
    const through = (text: string) =>
      jinja.condition(template('{{ text }}'), scopeOf({ n: 1, text }), host);
    expect(through(ownText('n == 1')).result).to.be.true;
    expect(through(ownText('n == 2')).result).to.be.false;
    expect(failure(() => through('n == 1 and true')).message).to.include("of type 'str'");
  });

  it('are never data', () => {
    const untrusted = () => jinja.condition('n == 1 or true', scope, host);
    expect(failure(untrusted).message).to.include('comes from data');
  });
});

describe('Speculative evaluation', () => {
  const speculate = (expression: string) =>
    jinja.evaluate(expression, scopeOf({ a: 1 }), { ...host, speculative: true });

  for (const expression of [
    "lookup('env', 'HOME')",
    "lookup('file', '/etc/hosts', errors='ignore')",
    "lookup('pipe', 'true')",
    "lookup('password', '/dev/null')",
    'now()',
    '5 | random',
    '[1] | shuffle',
    "'x' | password_hash",
    "'/etc' is directory",
    "'/etc' | realpath",
    "'/*' | fileglob",
  ]) {
    it(`does not run ${expression}`, () => {
      expect(() => speculate(expression)).to.throw(NotSpeculable);
    });
  }

  it('renders nothing of a variable but the member that is asked for', () => {
    const template = (text: string) => new TrustedTemplate(text);
    const variables = scopeOf({
      top: template('{{ middle }}'),
      middle: template('{{ bottom[0] }}'),
      bottom: [
        new Map<string, Value>([
          ['wanted', 'w'],
          ['other', template("{{ lookup('env', 'HOME') }}")],
        ]),
      ],
    });
    const speculating = { ...host, speculative: true };
    expect(jinja.evaluate('top.wanted', variables, speculating)).to.equal('w');
    expect(() => jinja.evaluate('top', variables, speculating)).to.throw(NotSpeculable);
  });

  it('gives what depends on variables only', () => {
    expect(speculate("lookup('vars', 'a')")).to.equal(1);
    expect(speculate("query('sequence', 'count=2')")).to.deep.equal(['1', '2']);
    expect(speculate("100 | random(seed='h1')")).to.equal(65);
  });
});

describe('Filters and lookups of collections', () => {
  const evaluate = (expression: string, evaluator = jinja) =>
    evaluator.evaluate(
      expression,
      scopeOf({ hosts: [new Map<Value, Value>([['ip', '10.0.0.1']])] }),
      host,
    );

  it('answer to their short and their full names', () => {
    for (const filter of ['ipaddr', 'ansible.utils.ipaddr', 'ansible.netcommon.ipaddr']) {
      expect(evaluate(`'10.0.0.5/24' | ${filter}('network')`)).to.equal('10.0.0.0');
    }
    expect(evaluate("hosts | json_query('[].ip')")).to.deep.equal(['10.0.0.1']);
    expect(evaluate("hosts | community.general.json_query('[?ip==`10.0.0.1`] | [0].ip')")).to.equal(
      '10.0.0.1',
    );
    expect(evaluate("hosts | json_query('[0].constructor')")).to.equal(null);
  });

  it('open lists at every depth up to what stands for none', () => {
    for (const name of ['flattened', 'community.general.flattened']) {
      const query = `query('${name}', [1, [[2], 'None', 3]], [[4]], ['null'], 5)`;
      expect(evaluate(query)).to.deep.equal([1, 2, 4]);
    }
  });

  it('are unknown where collections are switched off', () => {
    const bare = new Jinja({ collections: false });
    expect(() => evaluate("hosts | json_query('[]')", bare)).to.throw(TemplateError);
    expect(evaluate("'ipaddr' is filter", bare)).to.equal(false);
    expect(() => evaluate("query('flattened', [1])", bare)).to.throw(TemplateError);
  });
});

// The answers are ansible-core's.
describe('Secrets and hashes', () => {
  for (const [expression, expected] of [
    [
      "'x' | password_hash('sha512', 'abcdefgh', rounds=5000)",
      '$6$abcdefgh$D7W7qyozKBT.t6FD3DVYHvADbIO0eSyI4.p20LaEUjro8PqTGYYo/EQcuNjhFbzo9Yg5ir1KIEqFY/yJpgFph0',
    ],
    ["'x' | password_hash('md5', 'abcdefgh')", '$1$abcdefgh$znAnv9M.XU2pRYfmSs46h/'],
    [
      "'x' | password_hash('bcrypt', 'abcdefghijklmnopqrstuu', ident='2b', rounds=4)",
      '$2b$04$abcdefghijklmnopqrstuuPp7HPfoAs8I2dCQCQ/fW7zEJv8I8C8e',
    ],
    ["'hello' | vault('pw', 'salt') | unvault('pw')", 'hello'],
    ["('x' | vault('pw', 7)) == ('x' | vault('pw', '7'))", true],
  ] as const) {
    it(`gives ansible-core's answer to ${expression}`, () => {
      expect(jinja.evaluate(expression, scopeOf({}), host)).to.equal(expected);
    });
  }

  it('does not open vault data with another secret', () => {
    const run = () =>
      jinja.evaluate("'hello' | vault('a', 'salt') | unvault('b')", scopeOf({}), host);
    expect(failure(run).message).to.equal('the secret does not open the vault data');
  });
});

describe('Template files', () => {
  const directory = mkdtempSync(join(tmpdir(), 'jinja-files-'));
  mkdirSync(join(directory, 'role/templates'), { recursive: true });
  writeFileSync(join(directory, 'near.j2'), 'near {{ a }}\n');
  writeFileSync(join(directory, 'role/templates/far.j2'), 'far {{ a }}\n');
  writeFileSync(join(directory, 'role/templates/bad.j2'), 'one\n{{ nosuch }}\n');
  after(() => rmSync(directory, { recursive: true }));

  const write = (text: string, file = join(directory, 't.j2')) =>
    jinja.renderTemplateFile(text, { file }, scopeOf({ a: 1 }), {
      searchPath: [join(directory, 'role')],
    });

  it('include files beside them and in templates/ of the search path', () => {
    expect(write("{% include 'near.j2' %}\n{% include 'far.j2' %}\n")).to.equal('near 1far 1\n');
    expect(failure(() => write("{% include '../near.j2' %}")).message).to.include(
      'leaves the search path',
    );
  });

  it('tell the included file and line where they fail', () => {
    const error = failure(() => write("{% include 'bad.j2' %}x"));
    expect(error.position).to.deep.include({
      file: join(directory, 'role/templates/bad.j2'),
      line: 2,
    });
  });

  it('count lines behind a header', () => {
    expect(write('#jinja2: trim_blocks: False\n{% if a %}\nx\n{% endif %}\n')).to.equal('\nx\n');
    const error = failure(() => write('#jinja2: trim_blocks: False\n\n{{ nosuch }}!\n'));
    expect(error.position).to.deep.include({ line: 3 });
  });

  it('are copied as they are without tags', () => {
    expect(write('a\r\nb\r\n')).to.equal('a\r\nb\r\n');
  });
});
