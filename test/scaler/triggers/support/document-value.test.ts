import { expect } from 'chai';
import {
  type DocumentFormat,
  problemOfLocation,
  readDocumentValue,
} from '../../../../src/scaler/triggers/support/document-value.ts';

const JSON_TEXT = JSON.stringify({
  count: 3,
  text: '1.5k',
  'a.b': { 'c|d': 4 },
  nested: {
    list: [
      { n: 'x', v: 1 },
      { n: 'y', v: 2, tags: ['p'] },
      { n: 'xy', v: 3 },
    ],
  },
  none: null,
  flag: true,
  wide: { first1: 8, last: 9 },
});
const XML_TEXT = `\uFEFF<?xml version="1.0"?><!-- it -->
<stats at="now"><queue name="a&amp;b" size="4">7</queue><queue>8</queue>
<empty/><deep><![CDATA[<9>]]></deep><n>&#49;&#x32;</n></stats>`;
const YAML_TEXT = 'queues:\n- name: a\n  size: 5\n- size: "6"\n';
const METRICS = `# HELP requests It.
# TYPE requests counter
requests{path="/a",code="200"} 12 1700000000000
requests{code="500",path="/b\\"}"} 1.5e3
# TYPE latency histogram
latency_bucket{le="1"} 4
latency_sum 9
untyped 3
broken{path= 3
endless +Inf
`;

describe('numbers in documents', () => {
  const FOUND: readonly (readonly [DocumentFormat, string, string, number])[] = [
    ['json', JSON_TEXT, 'count', 3],
    ['json', JSON_TEXT, 'text', 1500],
    ['json', JSON_TEXT, 'a\\.b.c\\|d', 4],
    ['json', JSON_TEXT, 'nested.list.1.v', 2],
    ['json', JSON_TEXT, 'nested.list.#', 3],
    ['json', JSON_TEXT, 'nested|list|#', 3],
    ['json', JSON_TEXT, 'nested.list.#.v|2', 3],
    ['json', JSON_TEXT, 'nested.list.#.tags|#', 1],
    ['json', JSON_TEXT, 'nested.list.#(n=="y").v', 2],
    ['json', JSON_TEXT, 'nested.list.#(v>1)#|#', 2],
    ['json', JSON_TEXT, 'nested.list.#(n%"x*")#.v|1', 3],
    ['json', JSON_TEXT, 'nested.list.#(n!%"x*").v', 2],
    ['json', JSON_TEXT, 'nested.list.#(tags).v', 2],
    ['json', JSON_TEXT, 'wide.first?', 8],
    ['json', JSON_TEXT, 'wide.l*t', 9],
    ['json', '[10, 20]', '1', 20],
    ['json', '[10, 20]', '#', 2],
    ['xml', XML_TEXT, 'stats.queue.0.#text', 7],
    ['xml', XML_TEXT, 'stats.queue.0.-size', 4],
    ['xml', XML_TEXT, 'stats.queue.1', 8],
    ['xml', XML_TEXT, 'stats.n', 12],
    ['yaml', YAML_TEXT, 'queues.0.size', 5],
    ['yaml', YAML_TEXT, 'queues.1.size', 6],
    ['prometheus', METRICS, 'requests{path="/a"}', 12],
    ['prometheus', METRICS, 'requests{path="/b\\"}",code="500"}', 1500],
    ['prometheus', METRICS, 'requests', 12],
    ['prometheus', METRICS, '{__name__="untyped"}', 3],
    ['prometheus', METRICS, 'latency_sum', 9],
  ];
  for (const [format, text, location, value] of FOUND) {
    it(`are found in ${format} at ${location}`, () => {
      expect(readDocumentValue(text, format, location)).to.equal(value);
    });
  }

  const NEEDED = 'where a number or a quantity is needed';
  const MISSING: readonly (readonly [DocumentFormat, string, string, string])[] = [
    ['json', JSON_TEXT, 'nested.other', `has nothing at nested.other, ${NEEDED}`],
    ['json', JSON_TEXT, 'none', `has null at none, ${NEEDED}`],
    ['json', JSON_TEXT, 'flag', `has a boolean that is no number at flag, ${NEEDED}`],
    ['json', JSON_TEXT, 'nested', `has an object at nested, ${NEEDED}`],
    ['json', JSON_TEXT, 'nested.list.#.v', `has a list at nested.list.#.v, ${NEEDED}`],
    ['json', JSON_TEXT, '__proto__', `has nothing at __proto__, ${NEEDED}`],
    ['json', '<html>', 'a', 'is not JSON'],
    ['xml', '{"a":1}', 'a', 'is not XML: it holds no element'],
    ['xml', '<a><b></a>', 'a', 'is not XML: it closes <a>, which is not open there'],
    ['xml', '<a>', 'a', 'is not XML: it ends within <a>'],
    ['xml', '<a>1</a><!DOCTYPE a>', 'a', 'is not XML: it cannot be read at "<!DOCTYPE a>"'],
    ['yaml', 'a: [', 'a', 'is not YAML'],
    ['prometheus', METRICS, 'other', `has nothing at other, ${NEEDED}`],
    ['prometheus', METRICS, 'requests{path="/c"}', `has nothing at requests{path="/c"}, ${NEEDED}`],
    ['prometheus', METRICS, 'endless', `has no finite number at endless, ${NEEDED}`],
    [
      'prometheus',
      METRICS,
      'latency',
      'is not metrics in the text format of Prometheus: it has latency as a histogram: choose a counter or gauge',
    ],
    [
      'prometheus',
      METRICS,
      'broken',
      'is not metrics in the text format of Prometheus: it has a line that is no metric: "broken{path= 3"',
    ],
  ];
  for (const [format, text, location, message] of MISSING) {
    it(`are missed in ${format} at ${location}: ${text.slice(0, 12)}`, () => {
      expect(() => readDocumentValue(text, format, location)).to.throw(message);
    });
  }

  const WRONG: readonly (readonly [DocumentFormat, string, string])[] = [
    ['json', 'a..b', 'has an empty part: write names between single dots'],
    ['json', 'a.#(b=="c"', 'cannot be read from "#(b=="c"" on: queries are #(name=="x")'],
    ['json', '{a,b}', 'uses "{a,b}", and modifiers, literals and several paths at once are not'],
    ['prometheus', 'a{b=~"c"}', 'has b=~: only = is supported'],
    ['prometheus', 'sum(a)', 'must be a metric, such as requests{path="/"}'],
    ['prometheus', '{a="b"}', 'must name a metric, such as requests{path="/"}'],
    ['prometheus', 'a{b=c}', 'has labels that cannot be read: "b=c"'],
  ];
  for (const [format, location, problem] of WRONG) {
    it(`are not looked for in ${format} at ${location}`, () => {
      expect(problemOfLocation(format, location)).to.contain(problem);
    });
  }
});
