import { expect } from 'chai';
import { readParameters, spellOutVariables } from '../../src/scaler/read-parameters.ts';
import * as p from '../../src/scaler/trigger.ts';

const nothing = { metadata: {}, authentication: {}, environment: {} };

describe('readParameters', () => {
  /** What one parameter makes of a text: its value, or the message. */
  const CASES: readonly (readonly [string, p.Parameter<unknown>, string, unknown])[] = [
    ['text', p.text('It.'), ' a b ', 'a b'],
    ['integer', p.integer('It.'), '12', 12],
    ['integer of octal look', p.integer('It.'), '07', 'must be an integer and not "07"'],
    ['integer with sign', p.integer('It.'), '+1', 'must be an integer and not "+1"'],
    ['number', p.number('It.'), '1e3', 1000],
    ['hexadecimal', p.number('It.'), '0x10', 'must be a number and not "0x10"'],
    ['limit', p.number('It.', { minimum: 1 }), '0', 'must be at least 1 and not "0"'],
    ['boolean', p.boolean('It.'), 'T', true],
    ['boolean word', p.boolean('It.'), 'yes', 'must be "true" or "false" and not "yes"'],
    ['bare duration', p.duration('It.'), '30', 30],
    ['duration', p.duration('It.'), '1h30m', 5_400_000],
    ['choice', p.choice(['sum', 'max'], 'It.'), 'Sum', 'must be one of sum, max and not "Sum"'],
    ['list', p.list('It.'), 'a, b ,c', ['a', 'b', 'c']],
    ['ranges', p.integerList('It.'), '1,3-5', [1, 3, 4, 5]],
    ['map', p.map('It.'), 'a=1, b=2', { a: '1', b: '2' }],
  ];
  for (const [title, parameter, given, expected] of CASES) {
    it(`reads ${title}`, () => {
      const { values, problems } = readParameters(
        { it: parameter },
        { ...nothing, metadata: { it: given } },
      );
      expect(problems[0]?.message ?? values.it).to.deep.equal(expected);
    });
  }

  it('takes the first place that has something but blanks', () => {
    const host = p.text('Host.', { from: ['metadata', 'authentication', 'environment'] });
    const sources = { metadata: { host: '  ', hostFromEnv: 'HOST' }, environment: { HOST: 'e' } };
    const read = readParameters({ host }, { ...sources, authentication: {} });
    expect(read.values.host).to.equal('e');
    const both = readParameters({ host }, { ...sources, authentication: { host: 'a' } });
    expect(both.values.host).to.equal('a');
  });

  it('takes the name of a variable for it where a parameter may name one', () => {
    const host = p.secret('Host.', { from: ['metadata', 'environment'], mayNameVariable: true });
    const other = p.text('Other.');
    const spell = (text: string) => spellOutVariables({ host, other }, { host: text, other: text });
    expect(spell('RabbitMqHost')).to.deep.equal({
      hostFromEnv: 'RabbitMqHost',
      other: 'RabbitMqHost',
    });
    for (const text of ['amqp://r', 'rabbit.example.com', '']) {
      expect(spell(text)).to.deep.equal({ host: text, other: text });
    }
  });

  it('tells every problem at once, and where a missing value may be given', () => {
    const { problems } = readParameters(
      { host: p.secret('Host.'), value: p.number('Value.') },
      { ...nothing, metadata: { value: 'many' } },
    );
    expect(problems).to.deep.equal([
      { parameter: 'host', message: 'is missing: give host in a TriggerAuthentication' },
      { parameter: 'value', message: 'must be a number and not "many"' },
    ]);
  });

  it('refuses a single parameter in two places', () => {
    const tls = p.choice(['enable', 'disable'], 'TLS.', {
      from: ['metadata', 'authentication'],
      isSingle: true,
    });
    const given = { metadata: { tls: 'enable' }, authentication: { tls: 'enable' } };
    expect(readParameters({ tls }, { ...nothing, ...given }).problems).to.deep.equal([
      { parameter: 'tls', message: 'is given twice, in metadata and authentication: keep one' },
    ]);
  });

  it('keeps what it found in authentication out of its messages', () => {
    const { problems } = readParameters(
      { port: p.integer('Port.', { from: ['authentication'] }) },
      { ...nothing, authentication: { port: 'hunter2' } },
    );
    expect(problems).to.deep.equal([{ parameter: 'port', message: 'must be an integer' }]);
  });

  it('refuses in metadata what has only gone from there', () => {
    const parameters = {
      token: p.optional(
        p.secret('Token.', { from: ['authentication'], removedFromMetadata: 'give it elsewhere' }),
      ),
    };
    const authentication = { token: 'right' };
    const { problems } = readParameters(parameters, {
      ...nothing,
      metadata: { token: 'hunter2' },
      authentication,
    });
    expect(problems).to.deep.equal([
      { parameter: 'token', message: 'may no longer stand in the metadata: give it elsewhere' },
    ]);
    expect(readParameters(parameters, { ...nothing, authentication }).problems).to.deep.equal([]);
  });

  it('names unknown metadata keys with what they may mean', () => {
    const { unknown } = readParameters(
      { queueName: p.text('Queue.') },
      { ...nothing, metadata: { queueName: 'q', queuName: 'q' } },
    );
    expect(unknown).to.deep.equal([
      {
        parameter: 'queuName',
        message: 'is not a parameter of this trigger (did you mean "queueName"?)',
      },
    ]);
  });
});
