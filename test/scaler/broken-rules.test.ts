import { expect } from 'chai';
import { brokenRules, type Doubts } from '../../src/scaler/broken-rules.ts';
import { choice, defineTrigger, number, optional, text } from '../../src/scaler/trigger.ts';

const queue = defineTrigger({
  type: 'queue',
  summary: 'A queue.',
  parameters: {
    host: text('Host.', { aliases: ['server'] }),
    length: number('Length.', { default: 5 }),
    mode: choice(['fast', 'slow'], 'Mode.'),
    vhost: optional(text('Virtual host.')),
  },
  check: ({ host, length, mode, vhost }) => [
    ...(host.startsWith('h') ? [] : ['server must begin with h']),
    ...(length > 0 ? [] : ['length must be more than 0']),
    ...(mode === 'slow' && vhost === undefined ? ['vhost is needed in mode slow'] : []),
  ],
  metric: ({ length }) => ({ kind: 'external', name: 'queue', target: length }),
  open: () => {
    throw new Error('no source is opened');
  },
});
const CONTEXT = {
  object: { kind: 'ScaledObject', namespace: 'shop', name: 'orders' },
  index: 0,
  name: undefined,
  metricType: 'AverageValue',
  isMember: false,
} as const;
const BAD = { host: 'x', length: 0, mode: 'slow' };
const LENGTH = 'length must be more than 0';

const CASES: readonly (readonly [
  title: string,
  values: Readonly<Record<string, unknown>>,
  doubts: Doubts,
  sentences: readonly string[],
])[] = [
  [
    'all of them where nothing is in doubt',
    BAD,
    { wrong: [] },
    ['server must begin with h', LENGTH, 'vhost is needed in mode slow'],
  ],
  [
    'those of other parameters where one is missing',
    { length: 0, mode: 'fast' },
    { wrong: ['host'] },
    [LENGTH],
  ],
  [
    'those of other parameters where one comes from elsewhere',
    { ...BAD, host: 'h' },
    { wrong: [], elsewhere: ['vhost'] },
    [LENGTH],
  ],
  ['none where it is not known which ones hold', { host: 'x', length: 0 }, { wrong: ['mode'] }, []],
  [
    'none where only somebody else knows which ones hold',
    { host: 'x', length: 0 },
    { wrong: [], elsewhere: ['mode'] },
    [],
  ],
];

describe('brokenRules', () => {
  for (const [title, values, doubts, sentences] of CASES) {
    it(`tells ${title}`, () => {
      expect(brokenRules(queue, values, doubts, CONTEXT)).to.deep.equal(sentences);
    });
  }
});
