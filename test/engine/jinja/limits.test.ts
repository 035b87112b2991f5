import { expect } from 'chai';
import { TrustedTemplate, type Value } from '../../../src/engine/values.ts';
import { failure, host, jinja, renderTemplate, scopeOf } from './evaluate.ts';

/** What an evaluation ends with. */
const complaint = (run: () => unknown) => failure(run).message;

/** Sets `ns.x` to a list, or dict, that holds the same one twice, and so on: 2^40 members in 40 lists. */
const doubled = (pair = '[ns.x, ns.x]', first = "['a']") =>
  `{% set ns = namespace(x=${first}) %}{% for i in range(40) %}{% set ns.x = ${pair} %}{% endfor %}`;
const doubledDict = doubled("{'a': ns.x, 'b': ns.x}", "{'k': 1}");

describe('Limits of an evaluation', () => {
  for (const text of [
    "{{ 'a' * 10**9 }}",
    '{{ [0] * 10**9 }}',
    '{{ range(10**9) | list }}',
    '{{ range(10**9)[1:] }}',
    '{{ 2 ** (10 ** 9) }}',
    "{{ 'x' | center(10**9) }}",
    "{{ 'x' | indent(10**9) }}",
    "{{ '%999999999d' % 1 }}",
    "{{ '{:>999999999}'.format(1) }}",
    '{{ range(30) | permutations | list }}',
    '{{ [1, 2, 3] | product(repeat=60) | list }}',
    "{{ query('sequence', 'count=999999999') }}",
    "{{ ('a' * 40 ~ '!') | regex_search('^(a+)+$') }}",
    "{{ ('a' * 40 ~ '!') is match('(a|a)*$') and false or [] | first }}",
    `{{ ${'('.repeat(500)}1${')'.repeat(500)} }}`,
    '{% macro m() %}{{ m() }}{% endmacro %}{{ m() }}',
    '{% for i in range(99999) %}{% for k in range(99999) %}{% endfor %}{% endfor %}',
    "{% set ns = namespace(x='ab') %}{% for i in range(99) %}{% set ns.x = ns.x ~ ns.x %}{% endfor %}",
  ]) {
    it(`ends ${text.slice(0, 70)} in an error`, () => {
      expect(complaint(() => renderTemplate(text))).to.not.equal('');
    });
  }

  for (const text of [
    '{{ range(10**9) | to_json }}',
    '{% set ns = namespace(x=10**9) %}{% for i in range(99) %}{% set ns.x = ns.x * ns.x %}{% endfor %}',
    "{% set l = [] %}{% for i in range(10**6) %}{% set _ = l.append('x' * 900000 ~ i) %}{% endfor %}",
    "{% set big = 'x' * 40000000 %}{% for i in range(10**6) %}{{ big }}{% endfor %}",
    "{% set ns = namespace(x='<' | escape) %}{% for i in range(99) %}{% set ns.x = ns.x + ns.x %}{% endfor %}",
    "{{ ['a' * 1000000] * 1000000 }}",
    "{{ (['a' * 1000000] * 1000000) | to_json }}",
    "{{ (['a' * 1000000] * 1000000) | to_yaml }}",
    "{{ ('ab' * 20000000) | to_yaml }}",
    "{{ ('ab' * 20000000).split('b') }}",
    "{{ ('ab' * 20000000) | reverse }}",
    "{{ 'x' | regex_search('ab' * 20000000) }}",
    "{{ ('[' ~ '{},' * 10000000 ~ '1]') | from_json }}",
    "{{ ('- a\n' * 5000000) | from_yaml }}",
    "{{ ([[1] * 2000] * 2000) | map('to_json', indent=1000000) | list }}",
    '{% set l = [1] %}{% for i in range(40) %}{% set _ = l.extend(l) %}{% endfor %}',
    `${doubled()}{{ ns.x }}`,
    `${doubledDict}{{ ns.x }}`,
    `${doubled()}{{ ns.x | string | length }}`,
    `${doubled()}and {{ ns.x }}`,
    `${doubled()}{{ ns.x | to_json }}`,
    `${doubled()}{{ [ns.x, [ns.x]] | unique }}`,
    `${doubled()}{{ ns.x | flatten }}`,
    `${doubled()}{{ ns.x | ipaddr }}`,
    `${doubledDict}{{ ns.x | json_query('a.b') }}`,
    `${doubledDict}{{ ns.x | combine({'a': ns.x.b}, recursive=true) }}`,
    `${doubled('(ns.x, ns.x)', "('a',)")}{{ {ns.x: 1} }}`,
    `${doubled()}{% set a = ns.x %}${doubled()}{{ a == ns.x }}`,
    `${doubled()}{% set a = ns.x %}${doubled()}{{ a < ns.x }}`,
    `${doubled()}{{ lookup('first_found', ns.x) }}`,
    `${doubled()}{{ ns.x | tojson }}`,
    "{% set a = [[1] * 2000] * 2000 %}{{ ([a] * 2000) | map('sort') | list }}",
  ]) {
    it(`ends ${text.slice(0, 35)} … ${text.slice(-35)} before memory does`, () => {
      expect(complaint(() => renderTemplate(text))).to.match(/too large|without end/);
    });
  }

  it('holds for variables that are made of each other', () => {
    const names = Array.from({ length: 40 }, (_, i) => `v${i}`);
    const variables = Object.fromEntries(
      names.map((name, i) => [name, new TrustedTemplate(`{{ [v${i + 1}, v${i + 1}] }}`)]),
    );
    const given = { ...variables, v40: [1] };
    expect(complaint(() => renderTemplate('{{ v0 }}', given))).to.match(/too large/);
    const added = '{% set _ = v0.append(1) %}{{ v0 | length }}{{ v1 | length }}';
    expect(renderTemplate(added, given)).to.equal('32');
  });

  it('holds for aliases in YAML', () => {
    const lines = Array.from({ length: 40 }, (_, i) => `- &a${i + 1} [*a${i}, *a${i}]`);
    const bomb = ['- &a0 [1]', ...lines].join('\n');
    expect(complaint(() => renderTemplate('{{ bomb | from_yaml }}', { bomb }))).to.not.equal('');
  });

  it('holds in conditions', () => {
    const condition = new TrustedTemplate('range(10**9) | list');
    const decide = () => jinja.condition(condition, scopeOf({}), host);
    expect(complaint(decide)).to.match(/too large|without end/);
  });

  it('refuses data that is nested without end', () => {
    let deep: Value = [];
    for (let level = 0; level < 20_000; level++) deep = [deep];
    expect(complaint(() => renderTemplate('{{ deep | to_json }}', { deep }))).to.include(
      'nested too deeply',
    );
  });

  it('lets through what is large and has an end', () => {
    expect(renderTemplate('{{ dict(range(200000) | zip(range(200000))) | length }}')).to.equal(
      200_000,
    );
    expect(
      renderTemplate(
        '{% set l = range(200000) | list %}{% set _ = l.sort(reverse=true) %}{{ l[0] }}',
      ),
    ).to.equal(199_999);
    const nested = `${'['.repeat(60)}1${']'.repeat(60)}`;
    expect(renderTemplate(`{{ [${nested}, ${nested}] | unique | length }}`)).to.equal(1);
    const escaped = `${"{'a': ".repeat(60)}'x' | escape${'}'.repeat(60)}`;
    expect(renderTemplate(`{{ ${escaped} | to_json | length }}`)).to.equal(423);
    expect(renderTemplate(`{{ ${escaped} }}`)).to.be.an.instanceOf(Map);
  });
});
