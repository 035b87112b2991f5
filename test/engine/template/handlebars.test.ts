import { expect } from 'chai';
import fc from 'fast-check';
import { TemplateError } from '../../../src/engine/jinja/errors.ts';
import { renderHandlebars } from '../../../src/engine/template/handlebars.ts';
import { type Dict, fromPlain, type Value } from '../../../src/engine/values.ts';

describe('Handlebars templates', () => {
  const renderings: [template: string, data: Record<string, unknown>, text: string][] = [
    ['{{a}} & {{{b}}}', { a: '<x>', b: '"' }, '<x> & "'],
    ['{{a.b.c}}', { a: { b: { c: 1 } } }, '1'],
    ['{{#each l}}{{@index}}={{this}};{{/each}}', { l: ['x', 'y'] }, '0=x;1=y;'],
    ['{{#each o}}{{@key}}={{this}};{{/each}}', { o: { k: 'v' } }, 'k=v;'],
    ['{{#if missing}}yes{{else}}no{{/if}}', {}, 'no'],
    ['{{#unless list}}empty{{/unless}}', { list: [] }, 'empty'],
    ['{{#if (eq a "x")}}same{{/if}}', { a: 'x' }, 'same'],
    ['{{#if (ne a "x")}}other{{/if}}', { a: 'y' }, 'other'],
    ['{{#if (and a b)}}both{{else}}not both{{/if}}', { a: true, b: [] }, 'not both'],
    ['{{#if (or a b)}}one{{/if}}', { a: '', b: 1 }, 'one'],
    ['{{#if (not a)}}none{{/if}}', { a: 0 }, 'none'],
    ['{{default a "fallback"}}', {}, 'fallback'],
    ['{{default a.b "fallback"}}', { a: {} }, 'fallback'],
    ['{{join l ", "}}', { l: [1, 2] }, '1, 2'],
    ['{{join l}}', { l: [1, 2] }, '1,2'],
    ['{{json o}}', { o: { a: [1, 'x', null] } }, '{"a":[1,"x",null]}'],
    ['{{json o indent=2}}', { o: { a: 1 } }, '{\n  "a": 1\n}'],
    ['k:\n    {{indent t 4}}', { t: 'a\nb\n\nc' }, 'k:\n    a\n    b\n\n    c'],
    ['{{indent t 2 first=true}}', { t: 'a\nb' }, '  a\n  b'],
    ['{{upper a}}{{lower a}}', { a: 'aB' }, 'ABab'],
    ['{{o}}', { o: { a: [1] } }, '{"a":[1]}'],
    ['{{a}}|{{b}}|{{c}}', { a: true, b: null, c: 1.5 }, 'true||1.5'],
    ['{{#each l}}\n- {{this}}\n{{/each}}\nend\n', { l: [1, 2] }, '- 1\n- 2\nend\n'],
  ];
  for (const [template, data, text] of renderings) {
    it(`give ${JSON.stringify(text)} for ${template}`, () => {
      expect(render(template, data)).to.equal(text);
    });
  }

  const refusals: [template: string, line: number, column: number, message: string][] = [
    ['a\n  {{hostnam}}', 2, 5, '"hostnam" is not defined (did you mean "hostname"?)'],
    ['{{o.missing}}', 1, 3, '"missing" is not defined'],
    ['{{json missing}}', 1, 1, 'json is given a value that is not defined'],
    ['{{#if a}}\nx', 2, 2, 'the template ends inside a block that is not closed'],
    ['x\nab {{a}', 2, 7, "the template's syntax is wrong here: unexpected invalid"],
    ['{{nosuch a}}', 1, 3, '"nosuch" is not defined'],
    ['{{> other}}', 1, 1, 'The partial other could not be found'],
  ];
  for (const [template, line, column, message] of refusals) {
    it(`are refused with the place for ${JSON.stringify(template)}`, () => {
      const error = failureOf(template, { hostname: 'h', o: {} });
      expect(error.message).to.equal(message);
      expect(error.position).to.deep.equal({ file: 't.hbs', line, column });
    });
  }

  for (const path of [
    'constructor',
    'constructor.constructor',
    '__proto__',
    'o.__proto__',
    'o.toString',
    'o.constructor',
    'lookup o "constructor"',
    'l.constructor',
    's.constructor',
    'o.__defineGetter__',
    'helperMissing',
    '@root.constructor',
  ]) {
    it(`cannot reach {{${path}}}`, () => {
      let text = '';
      try {
        text = render(`{{${path}}}`, { o: {}, l: [], s: 'x' });
      } catch (error) {
        expect(error).to.be.instanceOf(TemplateError);
      }
      expect(text).to.equal('');
    });
  }

  it('take only the variables they use', () => {
    const taken: string[] = [];
    class Watched extends Map<string, Value> {
      override get(name: string): Value | undefined {
        taken.push(name);
        return super.get(name);
      }
    }
    const variables = new Watched([
      ['used', 'x'],
      ['unused', 'y'],
    ]);
    expect(renderHandlebars('{{used}}{{used}}', { file: 't.hbs', variables })).to.equal('xx');
    expect(taken).to.deep.equal(['used']);
  });

  it('never render data a second time', () => {
    expect(render('{{a}}', { a: '{{b}} {{ lookup }}' })).to.equal('{{b}} {{ lookup }}');
  });

  it('give text or TemplateError for any template', () => {
    const parts = fc.constantFrom(
      '{{',
      '}}',
      '{{#if a}}',
      '{{/if}}',
      '{{else}}',
      'a',
      ' ',
      '.',
      '"',
      '(',
      ')',
      '#',
      '/',
      '\n',
      '@',
      '../',
      'this',
      '|',
      '=',
      '>',
      '~',
    );
    fc.assert(
      fc.property(fc.array(parts, { maxLength: 12 }), (pieces) => {
        try {
          expect(render(pieces.join(''), { a: { a: 1 } })).to.be.a('string');
        } catch (error) {
          expect(error).to.be.instanceOf(TemplateError);
        }
      }),
      { numRuns: 500 },
    );
  });
});

function render(template: string, data: Record<string, unknown>): string {
  const variables = fromPlain(data) as Dict; // An object gives a Map with text keys.
  return renderHandlebars(template, { file: 't.hbs', variables });
}

function failureOf(template: string, data: Record<string, unknown>): TemplateError {
  try {
    render(template, data);
  } catch (error) {
    if (error instanceof TemplateError) return error;
    throw error;
  }
  return expect.fail('nothing was refused');
}
