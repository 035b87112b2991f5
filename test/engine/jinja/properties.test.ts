import { expect } from 'chai';
import fc from 'fast-check';
import {
  Jinja,
  type JinjaHost,
  type Scope,
  TemplateError,
} from '../../../src/engine/jinja/jinja.ts';
import { ownText } from '../../../src/engine/own-text.ts';
import { Float, Omit, Timestamp, TrustedTemplate, type Value } from '../../../src/engine/values.ts';

const jinja = new Jinja();
const host: JinjaHost = { searchPath: ['/nonexistent'] };
const variables = new Map<string, Value>([
  ['a', 1],
  ['s', 'some text'],
  ['l', [3, 'x', null, [1]]],
  [
    'd',
    new Map<Value, Value>([
      ['k', 'v'],
      ['n', new Map<Value, Value>([['m', [1, 2]]])],
    ]),
  ],
  ['t', new TrustedTemplate('{{ a }}{{ s }}')],
  ['self_made', new TrustedTemplate('{{ self_made }}')],
]);
const scope: Scope = { get: (name) => variables.get(name), names: () => variables.keys() };

const FILTERS =
  'default bool int float string list upper lower replace regex_replace regex_search regex_findall to_json to_yaml to_nice_yaml from_json from_yaml join sort unique map select flatten combine dict2items items2dict zip product batch slice indent wordwrap truncate format random hash b64encode b64decode urlsplit urlencode ipaddr ipsubnet nthhost human_to_bytes strftime to_datetime comment center round pow log extract groupby dictsort json_query password splitext urlize xmlattr'.split(
    ' ',
  );
const OPERATORS =
  '+ - * / // % ** ~ == != < > <= >= and or in is not if else | . , : ( ) [ ] { } ='.split(' ');
const OPERANDS = [
  'a',
  's',
  'l',
  'd',
  't',
  'self_made',
  'nosuch',
  'omit',
  'true',
  'none',
  '0',
  '1',
  '-1',
  '2.5',
  '99999999999',
  "'x'",
  "'(a+)+b'",
  "'%s'",
  "'{0.__class__}'",
  '[1, 2]',
  "{'k': 1}",
  'range(5)',
  'range(10**9)',
  'dict(d)',
  'lookup',
  'query',
  'namespace(a=1)',
  'joiner()',
  'cycler(1, 2)',
  'now()',
  'loop',
  'caller',
  'vars',
  'lipsum',
];
const MEMBERS =
  'constructor __proto__ prototype toString valueOf hasOwnProperty __class__ __globals__ items keys append k n m format join split __defineGetter__ call apply bind'.split(
    ' ',
  );

const token = fc.oneof(
  fc.constantFrom(...OPERANDS),
  fc.constantFrom(...OPERATORS),
  fc.constantFrom(...FILTERS).map((name) => `| ${name}`),
  fc.constantFrom(...FILTERS).map((name) => `| ${name}(1)`),
  fc.constantFrom(...MEMBERS).map((name) => `.${name}`),
  fc.constantFrom(...MEMBERS).map((name) => `['${name}']`),
);
const soup = fc.array(token, { maxLength: 12 }).map((tokens) => tokens.join(' '));
const statement = fc.oneof(
  soup.map((text) => `{{ ${text} }}`),
  soup.map((text) => `{% if ${text} %}y{% endif %}`),
  soup.map((text) => `{% for i in ${text} %}{{ i }}{% endfor %}`),
  soup.map((text) => `{% set x = ${text} %}{{ x }}`),
  fc.string(),
  fc.constantFrom(
    '{{',
    '}}',
    '{%',
    '%}',
    '{#',
    '#}',
    '{% raw %}',
    '{% endraw %}',
    '{% endif %}',
    '{% macro m() %}',
  ),
);

/** Whether every part of a value belongs to the model of values: no function, no JavaScript object. */
function isModelValue(value: unknown): boolean {
  if (Array.isArray(value)) return value.every(isModelValue);
  if (value instanceof Map) return [...value].flat().every(isModelValue);
  if (typeof value === 'object' && value !== null) {
    return [Float, Timestamp, Omit].some((type) => value instanceof type);
  }
  return ['string', 'number', 'boolean', 'bigint'].includes(typeof value) || value === null;
}

/** The value, or undefined where the author is told what is wrong. Any other error fails the test. */
function attempt(run: () => Value): Value | undefined {
  try {
    return run();
  } catch (error) {
    if (error instanceof TemplateError) return undefined;
    throw error;
  }
}

function expectModelValue(value: Value | undefined): void {
  if (value !== undefined) expect(isModelValue(value)).to.equal(true);
}

describe('Jinja on any input', () => {
  it('gives a value of the model or a TemplateError for any expression', () => {
    fc.assert(
      fc.property(soup, (text) => {
        expectModelValue(attempt(() => jinja.evaluate(text, scope, host)));
      }),
      { numRuns: 3000 },
    );
  });

  it('gives a value of the model or a TemplateError for any template', () => {
    const text = fc.array(statement, { maxLength: 6 }).map((parts) => parts.join(''));
    fc.assert(
      fc.property(text, (source) => {
        expectModelValue(
          attempt(() => jinja.renderValue(new TrustedTemplate(source), scope, host)),
        );
      }),
      { numRuns: 1500 },
    );
  });

  it('takes any characters as an expression, a condition and a template file', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), (text) => {
        attempt(() => jinja.evaluate(text, scope, host));
        attempt(() => jinja.condition(ownText(text), scope, host).result);
        attempt(() => jinja.renderTemplateFile(text, { file: '/t.j2' }, scope, host));
      }),
      { numRuns: 1000 },
    );
  });

  it('takes any pattern and any text in the filters of regular expressions', () => {
    const pattern = fc
      .array(
        fc.constantFrom(
          'a',
          'b',
          '.',
          '*',
          '+',
          '?',
          '(',
          ')',
          '[',
          ']',
          '|',
          '\\d',
          '\\1',
          '(?P<n>',
          '{2,}',
          '^',
          '$',
          '(?i)',
          '(?=',
        ),
        { maxLength: 8 },
      )
      .map((parts) => parts.join(''));
    fc.assert(
      fc.property(pattern, fc.string(), fc.string(), (regex, text, replacement) => {
        const values = new Map<string, Value>([
          ['p', regex],
          ['x', text],
          ['r', replacement],
        ]);
        const own: Scope = { get: (name) => values.get(name), names: () => values.keys() };
        for (const filter of ['regex_search(p)', 'regex_findall(p)', 'regex_replace(p, r)']) {
          attempt(() => jinja.evaluate(`x | ${filter}`, own, host));
        }
      }),
      { numRuns: 1000 },
    );
  });

  it('finds no member of a JavaScript prototype on any value', () => {
    const names = Object.getOwnPropertyNames(Object.prototype).concat(
      Object.getOwnPropertyNames(Function.prototype),
      Object.getOwnPropertyNames(Array.prototype).filter((name) =>
        /^(?:at|map|filter|reduce|push|concat)$/.test(name),
      ),
    );
    fc.assert(
      fc.property(fc.constantFrom(...names), fc.constantFrom(...OPERANDS), (name, operand) => {
        const forms = [
          `(${operand}).${name}`,
          `(${operand})['${name}']`,
          `(${operand}) | attr('${name}')`,
        ];
        for (const form of forms) {
          const found = attempt(() => jinja.evaluate(`${form} is defined`, scope, host));
          if (found === true) expect(name, form).to.match(/^(?:name|length)$/);
        }
      }),
      { numRuns: 2000 },
    );
  });
});
