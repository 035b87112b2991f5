import { expect } from 'chai';
import { KEDA_NAMES, TSPROV_NAMES } from '../../../src/scaler/names.ts';
import type {
  ScaledObject,
  ScaledObjectSpec,
} from '../../../src/scaler/resources/scaled-object.ts';
import { DEFAULT_CONTROLLER } from '../../../src/scaler/simulate/hpa.ts';
import { renderSvg } from '../../../src/scaler/simulate/render-chart.ts';
import { renderCsv, renderTable } from '../../../src/scaler/simulate/render-timeline.ts';
import { parseSeries } from '../../../src/scaler/simulate/series.ts';
import { type Simulation, simulateTimeline } from '../../../src/scaler/simulate/timeline.ts';
import { triggers } from '../../../src/scaler/triggers/registry.ts';

const QUEUE = {
  type: 'kubernetes-workload',
  name: 'queue',
  metadata: { podSelector: 'app=shop', value: '10', activationValue: '5' },
};
const OTHER = { ...QUEUE, name: 'other' };
const CPU = { type: 'cpu', metricType: 'Utilization', metadata: { value: '50' } };

function scaledObject(
  spec: Partial<ScaledObjectSpec>,
  annotations: Readonly<Record<string, string>> = {},
): ScaledObject {
  return {
    apiVersion: 'scaler.tsprov.dev/v1alpha1',
    kind: 'ScaledObject',
    metadata: { name: 'orders', namespace: 'shop', annotations },
    spec: { scaleTargetRef: { name: 'orders' }, triggers: [QUEUE], ...spec },
  };
}

function run(object: ScaledObject, csv: string, options: Partial<Simulation> = {}) {
  const series = parseSeries(csv, 'values.csv');
  return simulateTimeline({
    object,
    triggers,
    names: TSPROV_NAMES,
    series,
    controller: DEFAULT_CONTROLLER,
    replicas: object.spec.minReplicaCount ?? 0,
    startupMs: 0,
    durationMs: series.rows.at(-1)?.atMs ?? 0,
    ...options,
  });
}

/** `seconds who from>to`. */
const changes = (...args: Parameters<typeof run>) =>
  run(...args).changes.map(({ atMs, by, from, to }) => `${atMs / 1000} ${by} ${from}>${to}`);

const WAVE = 'time,queue\n0,0\n1m,60\n3m,0\n15m,0\n';

describe('the simulation of a ScaledObject', () => {
  const CASES: readonly (readonly [
    title: string,
    args: Parameters<typeof run>,
    expected: readonly string[],
  ])[] = [
    [
      'wakes, grows, shrinks and sleeps',
      [scaledObject({}), WAVE],
      ['60 operator 0>1', '60 HPA 1>4', '75 HPA 4>6', '450 operator 6>0'],
    ],
    [
      'leaves shrinking to the HPA where there is a least',
      [scaledObject({ minReplicaCount: 2 }), WAVE],
      ['60 HPA 2>4', '75 HPA 4>6', '480 HPA 6>2'],
    ],
    ['sleeps up to the activation', [scaledObject({}), 'time,queue\n0,5\n2m,5'], []],
    [
      'ends a workload that was never active at the first poll',
      [scaledObject({}), 'time,queue\n0,0\n1m,0', { replicas: 3 }],
      ['0 operator 3>0'],
    ],
    [
      'waits for the first cooldown',
      [scaledObject({ initialCooldownPeriod: 60 }), 'time,queue\n0,0\n2m,0', { replicas: 3 }],
      ['60 operator 3>0'],
    ],
    [
      'goes to idle',
      [
        scaledObject({ idleReplicaCount: 0, minReplicaCount: 2, cooldownPeriod: 60 }),
        WAVE,
        { replicas: 2 },
      ],
      ['0 operator 2>0', '60 operator 0>2', '60 HPA 2>4', '75 HPA 4>6', '210 operator 6>0'],
    ],
    [
      'stays while its source cannot be read',
      [scaledObject({ cooldownPeriod: 0 }), 'time,queue\n0,60\n1m,\n30m,', { replicas: 1 }],
      ['0 HPA 1>4', '15 HPA 4>6'],
    ],
    [
      'falls back while its source cannot be read',
      [
        scaledObject({ fallback: { failureThreshold: 3, replicas: 5 } }),
        'time,queue\n0,\n5m,',
        { replicas: 1 },
      ],
      ['30 HPA 1>4', '45 HPA 4>5'],
    ],
    [
      'follows a formula',
      [
        scaledObject({
          triggers: [QUEUE, OTHER],
          advanced: { scalingModifiers: { formula: 'max(queue, other) / 2', target: '5' } },
        }),
        'time,other,queue\n0,0,0\n1m,40,10\n2m,40,10',
      ],
      ['60 operator 0>1', '60 HPA 1>4'],
    ],
    [
      'takes the highest of its triggers',
      [
        scaledObject({ triggers: [QUEUE, CPU] }),
        'time,queue,cpu\n0,20,150\n15,20,50\n30,20,50',
        { replicas: 1 },
      ],
      ['0 HPA 1>3'],
    ],
    [
      'reads cached metrics at the polls alone',
      [
        scaledObject({ pollingInterval: 60, triggers: [{ ...QUEUE, useCachedMetrics: true }] }),
        'time,queue\n0,10\n15,40\n2m,40',
        { replicas: 1 },
      ],
      ['60 HPA 1>4'],
    ],
    [
      'keeps to the behavior of the HPA',
      [
        scaledObject({
          advanced: {
            horizontalPodAutoscalerConfig: {
              behavior: { scaleUp: { policies: [{ type: 'Pods', value: 1, periodSeconds: 30 }] } },
            },
          },
        }),
        'time,queue\n0,60\n1m,60',
        { replicas: 1 },
      ],
      ['0 HPA 1>2', '30 HPA 2>3', '60 HPA 3>4'],
    ],
    [
      'holds the replicas of a pause',
      [scaledObject({}, { 'autoscaling.scaler.tsprov.dev/paused-replicas': '2' }), WAVE],
      ['0 operator 0>2'],
    ],
    [
      'reads the annotations of KEDA where it is told',
      [
        scaledObject({}, { 'autoscaling.keda.sh/paused-scale-out': 'true' }),
        WAVE,
        { names: KEDA_NAMES },
      ],
      [],
    ],
  ];
  for (const [title, args, expected] of CASES) {
    it(title, () => {
      expect(changes(...args)).to.deep.equal(expected);
    });
  }

  it('lets pods take their time', () => {
    const { points } = run(scaledObject({}), WAVE, { startupMs: 20_000 });
    const at = (atMs: number) => points.find((point) => point.atMs === atMs);
    expect(at(75_000)).to.include({ replicas: 6, readyReplicas: 0 });
    expect(at(90_000)).to.include({ replicas: 6, readyReplicas: 4 });
    expect(at(105_000)).to.include({ replicas: 6, readyReplicas: 6 });
  });

  it('names triggers without a column', () => {
    const object = scaledObject({ triggers: [QUEUE, CPU] });
    expect(() => run(object, 'time,queu\n0,1')).to.throw(
      'the values have no column queue or kubernetes-workload or s0, nor cpu or s1 (there are queu)',
    );
  });
});

describe('series of values', () => {
  const TIMES: readonly (readonly [title: string, csv: string])[] = [
    ['seconds', 'time,a\n10,1\n70,2'],
    ['durations', 't,a\n10s,1\n1m10s,2'],
    ['moments', 't,a\n2026-01-02T03:04:05Z,1\n2026-01-02T03:05:05Z,2'],
    ['blank lines and comments', '# queue\nt,a\n\n0,1\n60,2\n'],
    ['quotes and other line ends', 't,"a"\r\n0,"1"\r\n60,2\r\n'],
  ];
  for (const [title, csv] of TIMES) {
    it(`are read with ${title}`, () => {
      expect(parseSeries(csv, 'f')).to.deep.equal({
        columns: ['a'],
        rows: [
          { atMs: 0, values: [1] },
          { atMs: 60_000, values: [2] },
        ],
      });
    });
  }

  it('may have quantities, and no value', () => {
    expect(
      parseSeries('t,a,b\n0,500m,\n1,,1Ki', 'f').rows.map(({ values }) => values),
    ).to.deep.equal([
      [0.5, undefined],
      [undefined, 1024],
    ]);
  });

  const WRONG: readonly (readonly [csv: string, message: string])[] = [
    ['', 'f:1:1  the first line must name the columns: the time, then triggers'],
    ['time\n0', 'f:1:1  the first line must name the columns: the time, then triggers'],
    ['t,a', 'f:1:1  there are no values'],
    ['t,a\n0,x\n0,1,2', 'f:2:1  "x" is no number\nf:3:1  there are 2 values for 1 columns'],
    ['t,a\n5,1\n5,1', 'f:3:1  "5" is not after the line before'],
  ];
  for (const [csv, message] of WRONG) {
    it(`are refused: ${JSON.stringify(csv)}`, () => {
      expect(() => parseSeries(csv, 'f')).to.throw(message);
    });
  }
});

describe('a timeline', () => {
  const timeline = run(scaledObject({}), 'time,queue\n0,0\n1m,60\n90,\n');

  it('is shown as a table of changes', () => {
    expect(renderTable(timeline).split('\n')).to.deep.equal([
      'time   by        replicas  queue  reason',
      '1m00s  operator  0 → 1     60     It goes from 0 to 1 because a trigger is active.',
      '1m00s  HPA       1 → 4     60     The metrics ask for more: policies limit the speed.',
      '1m15s  HPA       4 → 6     60     The metrics ask for it.',
      '1m30s: 6 replicas',
      '',
    ]);
  });

  it('is shown as comma-separated values', () => {
    const lines = renderCsv(timeline).split('\n');
    expect(lines[0]).to.equal('seconds,replicas,ready,queue');
    expect(lines.slice(-3)).to.deep.equal(['75,6,6,60', '90,6,6,', '']);
  });

  it('is drawn inside of its picture', () => {
    const svg = renderSvg(timeline, 'a <b> & "c"');
    expect(svg).to.contain('<title>a &lt;b&gt; &amp; &quot;c&quot;</title>');
    const paths = [...svg.matchAll(/ d="([^"]*)"/g)].map(([, path = '']) => path);
    const across = paths.flatMap((path) =>
      [...path.matchAll(/[MH]([\d.]+)/g)].map(([, x]) => Number(x)),
    );
    const down = paths.flatMap((path) =>
      [...path.matchAll(/[V ]([\d.]+)/g)].map(([, y]) => Number(y)),
    );
    expect([Math.min(...across), Math.max(...across)]).to.deep.equal([56, 944]);
    expect(Math.min(...down)).to.be.at.least(40);
    expect(Math.max(...down)).to.be.at.most(500);
  });

  it('has a legend, and marks where a source cannot be read', () => {
    const svg = renderSvg(timeline, 'orders');
    for (const label of [
      'replicas',
      'ready replicas',
      'queue (up to 60)',
      'a source cannot be read',
    ]) {
      expect(svg).to.contain(`>${label}</text>`);
    }
    expect(svg.match(/height="460" fill="#ffe3e3"/g)).to.have.length(1);
    const readable = run(scaledObject({}), 'time,queue\n0,0\n30,0');
    expect(renderSvg(readable, 'orders')).to.not.contain('cannot be read');
  });

  it('ends its axis and its legend inside of the picture', () => {
    const names = Array.from({ length: 12 }, (_, index) => `a_queue_with_a_long_name_${index}`);
    const object = scaledObject({ triggers: names.map((name) => ({ ...QUEUE, name })) });
    const svg = renderSvg(run(object, `time,${names}\n0,${names.map(() => 1)}\n3d,`), 'wide');
    expect(svg).to.match(/<text x="944" y="520" text-anchor="end" [^>]*>3d</);
    const [, width, height] = /viewBox="0 0 (\d+) (\d+)"/.exec(svg)?.map(Number) ?? [];
    for (const [, x, y, label = ''] of svg.matchAll(
      /<text x="([\d.]+)" y="([\d.]+)" fill="#495057">([^<]*)/g,
    )) {
      expect(Number(x) + label.length * 7).to.be.at.most(width ?? 0);
      expect(Number(y)).to.be.at.most(height ?? 0);
    }
  });

  it('is shown where nothing ever happens', () => {
    const still = run(scaledObject({}), 'time,queue\n0,0\n30,0');
    expect(renderTable(still)).to.equal('The number of replicas never changes.\n30s: 0 replicas\n');
    expect(renderSvg(still, 'still')).to.not.contain('NaN');
  });
});
