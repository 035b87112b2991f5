/**
 * How fast conditions, templates and plain values are evaluated: `npx tsx bench/jinja.ts`.
 * The budget is a million evaluations of a simple condition per second beside 200 KB of variables.
 */
import { Jinja, type JinjaHost, type Scope } from '../src/engine/jinja/jinja.ts';
import { TrustedTemplate, type Value } from '../src/engine/values.ts';

const CONTEXT_BYTES = 200_000;
const MIN_RUN_MS = 1000;

/** Facts of about the given size, nested as gathered facts are. */
function facts(sizeBytes: number): Value {
  const entries = Array.from({ length: Math.ceil(sizeBytes / 100) }, (_, index) => {
    const fact = new Map<Value, Value>([
      ['address', `10.0.${index >> 8}.${index & 255}`],
      ['active', index % 2 === 0],
      ['features', ['rx', 'tx', 'tso']],
    ]);
    return [`interface_${index}`, fact] as const;
  });
  return new Map(entries);
}

const variables = new Map<string, Value>([
  ['x', 3],
  ['name', 'abc'],
  ['ansible_facts', facts(CONTEXT_BYTES)],
  ['templated', new TrustedTemplate('{{ name }}-{{ x }}')],
]);
const scope: Scope = { get: (name) => variables.get(name), names: () => variables.keys() };
const host: JinjaHost = { searchPath: [] };
const jinja = new Jinja();

const SIMPLE = new TrustedTemplate("x > 2 and name == 'abc'");
const FACT = new TrustedTemplate('ansible_facts.interface_7.active is defined');

const subjects: Readonly<Record<string, () => unknown>> = {
  "x > 2 and name == 'abc'": () => jinja.condition(SIMPLE, scope, host),
  'ansible_facts.interface_7.active': () => jinja.condition(FACT, scope, host),
  '{{ name }}-{{ x }}': () =>
    jinja.renderValue(new TrustedTemplate('{{ name }}-{{ x }}'), scope, host),
  '{{ templated }}': () => jinja.renderValue(new TrustedTemplate('{{ templated }}'), scope, host),
  'plain value of 200 KB': () =>
    jinja.renderValue(variables.get('ansible_facts') ?? null, scope, host),
};

/** Calls per second, measured for at least a second after a warm-up. */
function rateOf(call: () => unknown): number {
  for (let i = 0; i < 10_000; i++) call();
  let calls = 0;
  const start = performance.now();
  let elapsed = 0;
  while (elapsed < MIN_RUN_MS) {
    for (let i = 0; i < 1000; i++) call();
    calls += 1000;
    elapsed = performance.now() - start;
  }
  return (calls / elapsed) * 1000;
}

for (const [title, call] of Object.entries(subjects)) {
  const rate = Math.round(rateOf(call)).toLocaleString('en');
  process.stdout.write(`${rate.padStart(12)} /s  ${title}\n`);
}
