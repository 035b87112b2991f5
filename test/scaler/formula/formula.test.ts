import { expect } from 'chai';
import fc from 'fast-check';
import { compileFormula, isVariableName } from '../../../src/scaler/formula/formula.ts';
import { FormulaError } from '../../../src/scaler/formula/formula-error.ts';

const VALUES = { a: 10, b: 4, c: -2.5 };
const evaluate = (text: string, values: Record<string, number | undefined> = VALUES) =>
  compileFormula(text, Object.keys(values)).evaluate(values);

function messageOf(run: () => unknown): string {
  try {
    run();
  } catch (error) {
    if (error instanceof FormulaError) return error.message;
    throw error;
  }
  throw new Error('nothing was thrown');
}

/** Formulas over a = 10, b = 4, c = -2.5, and what they give. */
const CASES: readonly (readonly [formula: string, result: number])[] = [
  ['a', 10],
  ['(a + b) / 2', 7],
  ['a * 0.7 + b * 0.3', 8.2],
  ['a - b - 1', 5],
  ['2 + 3 * 4', 14],
  ['2 ** 3 ** 2', 512],
  ['2 ^ 3', 8],
  ['-2 ** 2', -4],
  ['-a + b', -6],
  ['2 ** -1', 0.5],
  ['a % 3', 1],
  ['-7 % 3', -1],
  ['7 / 2', 3.5],
  ['1_000 + 0x10 + 0b11 + 0o7 + .5 + 1e2', 1126.5],
  ['a > 5 ? 1 : 0', 1],
  ['a > 5 ? b > 5 ? 1 : 2 : 3', 2],
  ['a < 5 ? 1 : a < 20 ? 2 : 3', 2],
  ['a > 5 and not (b > 5) ? 1 : 0', 1],
  ['a > 50 || b == 4 && !(c > 0) ? 1 : 0', 1],
  ['1 < b < 5 ? 1 : 0', 1],
  ['1 < b < 4 ? 1 : 0', 0],
  ['(1 < b) == true ? 1 : 0', 1],
  ['a in [1, 10] ? 1 : 0', 1],
  ['a not in [1, 10] ? 1 : 0', 0],
  ['let x = a * 2; let y = x + 1; y - b', 17],
  ['if a > 5 { b } else { 0 }', 4],
  ['if a > 50 { 1 } else if b > 3 { 2 } else { 3 }', 2],
  ['a + (if b > 3 { 1 } else { 2 })', 11],
  ['count([a, b, c], # > 1) > 1 ? 5 : 0', 5],
  ['count([a, b, c], {# > 1}) > 1 ? 5 : 0', 5],
  ['count([a > 1, b > 5])', 1],
  ['sum([a, b, c])', 11.5],
  ['sum([a, b], # * 2)', 28],
  ['all([a, b], # > 1) ? 1 : 0', 1],
  ['any([a, b], # > 5) ? 1 : 0', 1],
  ['none([a, b], # > 5) ? 1 : 0', 0],
  ['one([a, b], # > 5) ? 1 : 0', 1],
  ['max(filter([a, b, c], {# < 5}))', 4],
  ['sum(map([a, b], {let d = # * 2; d + 1}))', 30],
  ['map([a, b], #index)[1]', 1],
  ['find([a, b, c], # < 5)', 4],
  ['findIndex([a, b, c], # < 0)', 2],
  ['findLast([a, b, c], # > 1)', 4],
  ['findLastIndex([a, b, c], # > 1)', 1],
  ['reduce([a, b, c], #acc + #)', 11.5],
  ['reduce(1..4, #acc * #, 10)', 240],
  ['count([a, b], count([1, 5], # > 3) == 1 and # > 5)', 1],
  ['max(a, b, c)', 10],
  ['min(a, [b, c])', -2.5],
  ['mean(a, b)', 7],
  ['mean([a, b, c, 0.5])', 3],
  ['median([a, b, c])', 4],
  ['median(a, b)', 7],
  ['abs(c)', 2.5],
  ['ceil(1.2) + floor(1.8) + round(2.5) + round(c)', 3],
  ['int(c)', -2],
  ['int("12") + float("1.5")', 13.5],
  ['len([a, b]) + len("añb")', 5],
  ['first([a, b]) - last([a, b])', 6],
  ['[a, b, c][-1]', -2.5],
  ['[a, b] | max()', 10],
  ['[a, b, c] | filter(# > 0) | sum()', 14],
  ['sort([a, b, c])[0] + sort([a, b, c], "desc")[0]', 7.5],
  ['sortBy([a, b, c], -#)[0]', 10],
  ['len(1..5)', 5],
  ['sum(take([a, b, c], 2))', 14],
  ['len(uniq([a, a, b]))', 2],
  ['upper(trim(" x ")) == "X" ? 1 : 0', 1],
  ['"abc" contains "b" and "abc" startsWith "a" and "abc" endsWith "c" ? 1 : 0', 1],
  ['len(split("a,b", ",")) + indexOf("abc", "c")', 4],
  ['a /* of the first */ + b // and the second', 14],
  ['\n  a +\n  b\n', 14],
  ['float(a + b)', 14],
];

describe('formulas', () => {
  for (const [formula, result] of CASES) {
    it(`give ${result} for ${JSON.stringify(formula)}`, () => {
      expect(evaluate(formula)).to.be.closeTo(result, 1e-9);
    });
  }

  it('take the default where a trigger has no value', () => {
    expect(evaluate('a ?? 7', { a: undefined })).to.equal(7);
    expect(evaluate('a ?? 7', { a: 0 })).to.equal(0);
    expect(evaluate('a + (b ?? 1)', { a: 1, b: undefined })).to.equal(2);
    expect(evaluate('a == nil ? 1 : 2', { a: undefined })).to.equal(1);
  });

  it('give nothing where the default has no value either', () => {
    expect(evaluate('a ?? b', { a: undefined, b: undefined })).to.equal(undefined);
  });

  it('are compiled once and evaluated with other values each time', () => {
    const formula = compileFormula('let x = a; x * 2', ['a']);
    expect([1, 2, 3].map((a) => formula.evaluate({ a }))).to.deep.equal([2, 4, 6]);
  });
});

/** Formulas that are refused at once, and the message. */
const REFUSED: readonly (readonly [formula: string, message: string])[] = [
  ['', 'the formula is empty at column 1'],
  ['queue + 1', 'unknown name "queue" at column 1 (known: a, b, c)'],
  ['aa + 1', 'unknown name "aa" at column 1 (did you mean "a"?)'],
  ['a + ', 'unexpected the end of the formula at column 5'],
  ['a b', 'unexpected "b" at column 3'],
  ['a; b', 'unexpected ";" at column 2'],
  ['; a', 'unexpected "a" at column 3'],
  ['(a + b', 'unexpected the end of the formula at column 7 (")" is expected here)'],
  ['max(a b)', 'unexpected "b" at column 7'],
  ['[a,,b][0]', 'an element of the list is missing at column 4'],
  ['maxx(a)', 'unknown function "maxx" at column 1 (did you mean "max"?)'],
  ['abs(a, b)', 'abs takes 1 argument and not 2 at column 1'],
  ['count()', 'count takes 1 to 2 arguments and not 0 at column 1'],
  ['a + "x"', 'a number and a string do not go together at column 1'],
  ['a && b > 1', 'true or false is needed and not a number at column 1'],
  ['b > 1 and a', 'true or false is needed and not a number at column 11'],
  ['a ? 1 : 2', 'true or false is needed and not a number at column 1'],
  ['a > 1', 'a number is needed and not true or false at column 1'],
  ['[a]', 'a number is needed and not a list at column 1'],
  ['a > 5 ? "x" : 1 + (b > 2)', 'a number is needed and not true or false at column 20'],
  ['a ?? b + 1', '"??" and "+" cannot be mixed at column 8 (add parentheses)'],
  ['# > 1 ? 1 : 0', '"#" stands outside of a predicate at column 1 (as in count([a, b], # > 1))'],
  [
    'count([a], #acc > 1)',
    'unknown "#acc" at column 12 (there are #, #index and, in reduce, #acc)',
  ],
  ['let a = 1; a', '"a" already stands for something at column 1 (take another name)'],
  ['a.b', 'only maps have members at column 1 (as in {"a": 1}.a)'],
  ['{a}', '"{" is only for the condition of a function such as count at column 1'],
  ['a = 1', 'unexpected "=" at column 3'],
  ['~a', 'unexpected "~" at column 1'],
  ['"x', 'unclosed quote after "x" at column 3'],
  ['12ab', 'unexpected "ab" at column 3'],
  ['if a > 1 { b }', 'unexpected the end of the formula at column 15 ("else" is expected here)'],
  ['a +\n  quue', 'unknown name "quue" at line 2, column 3 (known: a, b, c)'],
];

describe('formulas that are wrong', () => {
  for (const [formula, message] of REFUSED) {
    it(`are refused: ${JSON.stringify(formula)}`, () => {
      expect(messageOf(() => compileFormula(formula, ['a', 'b', 'c']))).to.equal(message);
    });
  }

  /** Faults that only the values show. */
  const FAILING: readonly (readonly [string, Record<string, number | undefined>, string])[] = [
    ['a + 1', { a: undefined }, 'a has no value at column 1 (give a default, as in a ?? 0)'],
    ['a', { a: undefined }, 'a has no value at column 1 (give a default, as in a ?? 0)'],
    ['1 / a', { a: 0 }, 'the formula gives Infinity at column 1 (look for a division by zero)'],
    ['a % b', { a: 1, b: 0 }, 'the remainder of a division by zero is asked for at column 5'],
    ['[a][int(a)]', { a: 3 }, 'there is no element 3 at column 5 (the list has 1 elements)'],
    [
      '[1, 2][a]',
      { a: 0.5 },
      'a whole number is needed and not 0.5 at column 8 (use int() or round())',
    ],
    ['max([])', {}, 'max: there is no number to choose from at column 1'],
    ['int("x")', {}, 'int: "x" is no number at column 1'],
    ['len(0..(a * 1000))', { a: 1e6 }, 'the formula needs too many steps at column 5'],
  ];
  for (const [formula, values, message] of FAILING) {
    it(`fail on their values: ${formula}`, () => {
      expect(messageOf(() => evaluate(formula, values))).to.equal(message);
    });
  }

  it('tell line and column', () => {
    try {
      compileFormula('a +\n  x', ['a']);
      expect.fail('nothing was thrown');
    } catch (error) {
      expect(error).to.include({ line: 2, column: 3, offset: 6 });
    }
  });
});

describe('names of variables', () => {
  for (const [name, isGood] of [
    ['queue', true],
    ['_q1', true],
    ['my-queue', false],
    ['1st', false],
    ['in', false],
    ['nil', false],
    ['', false],
  ] as const) {
    it(`${isGood ? 'may' : 'may not'} be ${JSON.stringify(name)}`, () => {
      expect(isVariableName(name)).to.equal(isGood);
    });
  }
});

describe('hostile formulas', () => {
  const chain = (operator: string) => Array.from({ length: 1000 }, () => 'a').join(operator);
  const HOSTILE: readonly (readonly [title: string, formula: string])[] = [
    ['a constructor', 'constructor'],
    ['a prototype', '__proto__ + 1'],
    ['a function of objects', 'hasOwnProperty("a")'],
    ['a constructor called', 'toString.constructor("return 1")()'],
    ['a member of a text', '"".constructor.constructor("return 1")()'],
    ['a member by its name', 'a["constructor"]'],
    ['this', 'this'],
    ['deep parentheses', `${'('.repeat(1500)}a${')'.repeat(1500)}`],
    ['deep negation', `${'-'.repeat(3000)}a`],
    ['deep lists', `len(${'['.repeat(1500)}${']'.repeat(1500)})`],
    ['a pattern that backtracks', '(repeat("a", 60) + "!") matches "^(a+)+$" ? 1 : nil + 1'],
    ['a pattern without end', '"a" matches "((a{1000}){1000}){1000}" ? 1 : 0'],
    ['a text without end', 'len(repeat(repeat("a", 1000000), 1000000))'],
    ['deep conditions', `${'a > 1 ? '.repeat(450)}1${' : 2'.repeat(450)}`],
    ['deep powers', chain('**')],
    ['a flood of characters', 'a+'.repeat(5000)],
    ['nested loops', 'count(1..9999, {count(1..9999, {# > 1}) > 1})'],
    ['huge ranges', 'len(0..9007199254740991)'],
    [
      'lists of lists of lists',
      `let l = 1..99; ${Array.from({ length: 20 }, (_, i) => `let m${i} = [${i === 0 ? 'l' : `m${i - 1}`}, ${i === 0 ? 'l' : `m${i - 1}`}]; `).join('')} m19 == [m18, m18] ? 1 : 0`,
    ],
    ['texts that double', `len(reduce(1..99, {#acc + #acc}, "x"))`],
  ];
  for (const [title, formula] of HOSTILE) {
    it(`are refused: ${title}`, () => {
      const message = messageOf(() => compileFormula(formula, ['a']).evaluate({ a: 2 }));
      expect(message).to.match(/ at (?:line \d+, )?column \d+/);
    });
  }

  it('are long chains, which work', () => {
    expect(evaluate(chain('+'), { a: 1 })).to.equal(1000);
  });

  it('cannot reach a value by an inherited name', () => {
    expect(messageOf(() => evaluate('valueOf', {}))).to.contain('unknown name "valueOf"');
    expect(evaluate('toString', { toString: 3 })).to.equal(3);
  });

  it('either give a finite number or tell where they are wrong, whatever the text', () => {
    const word = fc.constantFrom(
      ...'a b c 1 2.5 + - * / % ** ?? ? : ( ) [ ] { } # , ; in not and or < == let if else max( count( .. | "x" nil = x'.split(
        ' ',
      ),
    );
    fc.assert(
      fc.property(fc.array(word, { maxLength: 25 }), (words) => {
        try {
          const result = evaluate(words.join(' '));
          expect(result === undefined || Number.isFinite(result)).to.equal(true);
        } catch (error) {
          expect(error).to.be.instanceOf(FormulaError);
        }
      }),
      { numRuns: 3000 },
    );
  });

  it('agree with JavaScript on arithmetic', () => {
    const leaf = fc.constantFrom('a', 'b', 'c', '3', '0.5');
    const { tree } = fc.letrec<{ tree: string }>((tie) => ({
      tree: fc.oneof(
        { maxDepth: 5 },
        leaf,
        fc
          .tuple(tie('tree'), fc.constantFrom('+', '-', '*'), tie('tree'))
          .map(([x, operator, y]) => `(${x} ${operator} ${y})`),
        fc.tuple(leaf, fc.constantFrom('+', '-', '*'), leaf).map((parts) => parts.join(' ')),
      ),
    }));
    fc.assert(
      fc.property(tree, (text) => {
        const expected = new Function('a', 'b', 'c', `return ${text}`)(10, 4, -2.5) as number;
        expect(evaluate(text)).to.equal(expected);
      }),
    );
  });
});
