import { expect } from 'chai';
import { InvalidInput } from '../../src/shared/errors.ts';
import {
  boolean,
  choice,
  integer,
  list,
  object,
  optional,
  path,
  secret,
  string,
} from '../../src/shared/schema.ts';
import { checkArgs, compileSchema, parseArgs } from '../../src/shared/validate.ts';

const args = object({
  path: path('File.', { aliases: ['dest', 'name'] }),
  state: choice(['present', 'absent', 'link'], 'Wish.', { default: 'present' }),
  port: optional(integer('Port.', { minimum: 1 })),
  force: boolean('Force.', { default: false }),
  src: optional(path('Source.')),
  content: optional(string('Content.')),
  password: optional(secret('Password.', { pattern: '^x' })),
  rules: optional(
    list(object({ from: string('From.', { minLength: 1 }), to: optional(integer('To.')) }), 'R.'),
  ),
});

const rules = {
  mutuallyExclusive: [['src', 'content']],
  requiredIf: [{ argument: 'state', value: 'link', needs: ['src'] }],
};

const isTemplated = (value: unknown) => typeof value === 'string' && value.includes('{{');
const check = (input: Record<string, unknown>) => checkArgs(args, rules, input, { isTemplated });
const messages = (input: Record<string, unknown>) => check(input).map(({ message }) => message);

describe('parseArgs', () => {
  it('resolves aliases, converts and fills defaults in', () => {
    expect(parseArgs(args, rules, { dest: '/x', port: '80', rules: [{ from: 1 }] })).to.deep.equal({
      path: '/x',
      state: 'present',
      port: 80,
      force: false,
      rules: [{ from: '1' }],
    });
  });

  it('takes an empty argument as not given', () => {
    expect(parseArgs(args, rules, { path: '/x', state: null, src: null, content: 'c' })).to.include(
      {
        state: 'present',
        content: 'c',
      },
    );
  });

  it('throws every problem at once, each with its place', () => {
    const places: unknown[] = [];
    const attempt = () =>
      parseArgs(args, rules, { state: 'presnt', port: 0, prot: 1 }, (path) => {
        places.push(path);
        return undefined;
      });
    expect(attempt).to.throw(InvalidInput, /missing required argument: path.*port/s);
    expect(places).to.deep.equal([[], ['prot'], ['state'], ['port']]);
  });

  it('keeps unknown arguments where the module is open', () => {
    const open = { ...rules, openArgs: true };
    expect(parseArgs(args, open, { path: '/x', more: [1] })).to.deep.include({ more: [1] });
  });
});

describe('checkArgs', () => {
  it('accepts a template as anything, at any depth', () => {
    const input = {
      path: '{{ p }}',
      state: '{{ s }}',
      port: '{{ p }}',
      rules: ['{{ rule }}', { from: '{{ f }}', to: '{{ t }}' }],
    };
    expect(check(input)).to.deep.equal([]);
  });

  it('still finds what is wrong beside a template', () => {
    expect(
      messages({ path: '{{ p }}', rules: [{ from: '{{ f }}', to: 'x' }, { form: 1 }] }),
    ).to.deep.equal([
      'rules[0].to: "x" is not a whole number',
      'missing required argument: from',
      'unknown argument "form"',
    ]);
  });

  it('suggests the nearest argument and lists the supported ones', () => {
    const [problem] = check({ path: '/x', contnet: 'c' });
    expect(problem?.path).to.deep.equal(['contnet']);
    expect(problem?.hint).to.equal(
      'did you mean "content"? supported: content, force, password, path, port, rules, src, state',
    );
  });

  it('suggests the nearest choice', () => {
    const [problem] = check({ path: '/x', state: 'abscent' });
    expect(problem).to.deep.equal({
      path: ['state'],
      message: 'state: "abscent" is not one of present, absent, link',
      hint: 'did you mean "absent"?',
    });
  });

  it('names the argument as the user spelt it', () => {
    expect(messages({ dest: ['/x'] })).to.deep.equal(['dest: a list is not text']);
  });

  it('refuses an argument under two names', () => {
    expect(messages({ path: '/x', dest: '/y' })).to.deep.equal([
      'path and dest are the same argument: give one',
    ]);
  });

  it('does not show the value of a secret', () => {
    expect(messages({ path: '/x', password: 'hunter2' })).to.deep.equal([
      'password: the value does not fit',
    ]);
  });

  it('applies constraints by presence, and waits for what a template may omit', () => {
    expect(messages({ path: '/x', src: 'a', content: 'b' })).to.deep.equal([
      'arguments are mutually exclusive: src, content',
    ]);
    expect(messages({ path: '/x', src: '{{ a }}', content: 'b' })).to.deep.equal([]);
    expect(messages({ path: '/x', state: 'link' })).to.deep.equal([
      'state is link, and these arguments are missing: src',
    ]);
    expect(messages({ path: '/x', state: 'link', src: '{{ a }}' })).to.deep.equal([]);
  });

  it('knows the other constraints of Ansible', () => {
    const more = {
      requiredTogether: [['src', 'port']],
      requiredOneOf: [['src', 'content']],
      requiredBy: { force: ['password'] },
    };
    const found = (input: Record<string, unknown>) =>
      checkArgs(args, more, { path: '/x', ...input }, { isTemplated }).map(
        ({ message }) => message,
      );
    expect(found({})).to.deep.equal(['one of these arguments is required: src, content']);
    expect(found({ src: 'a' })).to.deep.equal([
      'arguments are required together: src, port; missing: port',
    ]);
    expect(found({ content: 'a', force: true })).to.deep.equal([
      'force requires these arguments, which are missing: password',
    ]);
  });
});

describe('compileSchema', () => {
  const schema = {
    type: 'object',
    additionalProperties: false,
    required: ['hosts'],
    properties: {
      hosts: { type: ['string', 'array'] },
      gather_facts: { anyOf: [{ type: 'boolean' }, { type: 'string', pattern: '^\\{\\{' }] },
      serial: {
        anyOf: [
          { type: 'integer', minimum: 1 },
          { type: 'array', items: { type: 'integer' } },
        ],
      },
    },
  };
  const problems = compileSchema(schema);
  const said = (data: unknown) => problems(data).map(({ message }) => message);

  it('accepts what fits', () => {
    expect(problems({ hosts: 'all', gather_facts: false, serial: [1, 2] })).to.deep.equal([]);
  });

  it('points at an unknown key and guesses', () => {
    expect(problems({ host: 'all', hosts: 'all' })).to.deep.equal([
      { path: ['host'], message: '"host" is not known here', hint: 'did you mean "hosts"?' },
    ]);
  });

  it('says one thing where no branch fits', () => {
    expect(said({ hosts: 'all', serial: 'x' })).to.deep.equal([
      'serial: "x" is not a whole number or a list',
    ]);
  });

  it('says what is wrong inside the branch that is meant', () => {
    expect(said({ hosts: 'all', serial: [1, 'x'] })).to.deep.equal([
      'serial[1]: "x" is not a whole number',
    ]);
    expect(said({ hosts: 'all', serial: 0 })).to.deep.equal(['serial: "0" is not >= 1']);
  });

  it('names what is missing', () => {
    expect(said({})).to.deep.equal(['"hosts" is missing']);
  });
});
