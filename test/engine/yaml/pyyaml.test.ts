import { readFileSync } from 'node:fs';
import { expect } from 'chai';
import fc from 'fast-check';
import { Float, Timestamp, type Value } from '../../../src/engine/values.ts';
import { parseAllYamlData, parseYaml, parseYamlData } from '../../../src/engine/yaml.ts';
import { InvalidInput } from '../../../src/shared/errors.ts';

/** A value as record.py writes it. */
type Recorded = [type: string, content: string | unknown[]];

interface Case {
  readonly text: string;
  readonly value: Recorded | null;
}

/** PyYAML refuses these, but their meaning is plain. */
const ACCEPTED_BEYOND_PYYAML = new Set([
  'a: |\n  \tx\n',
  '-\ta\n',
  '- \ta\n',
  'a: 1\n\t\nb: 2\n',
  'a: 1\n\t# c\nb: 2\n',
  'a: \u2028b\n',
  'a: &x 1\nb: *x\nc: &x 2\nd: *x\n',
  'a: {:b}\n',
  'a: [:b]\n',
  '...\n',
  '%FOO\n---\na\n',
  '%YAML 3.0\n---\na\n',
]);

describe('YAML as PyYAML reads it', () => {
  for (const file of ['scalars.json', 'documents.json']) {
    for (const { text, value } of readCases(file)) {
      if (ACCEPTED_BEYOND_PYYAML.has(text)) continue;
      const outcome = value === null ? 'refuses' : 'reads';
      it(`${outcome} ${JSON.stringify(text)}`, () => {
        expect(read(text)).to.deep.equal(value);
      });
    }
  }
});

describe('YAML beyond PyYAML', () => {
  for (const text of ACCEPTED_BEYOND_PYYAML) {
    it(`reads ${JSON.stringify(text)}`, () => {
      expect(() => parseYamlData(text)).not.to.throw();
    });
  }
});

describe('YAML with any input', () => {
  const characters = fc.constantFrom(...'ab1 \n\t:-?{}[],&*!|>\'"%@#.~=<0', '{{', '---', '\r', 'é');
  const text = fc.oneof(
    fc.string(),
    fc.array(characters).map((parts) => parts.join('')),
  );

  it('gives a value or InvalidInput with a place, nothing else', () => {
    fc.assert(
      fc.property(text, (input) => {
        try {
          parseYaml(input, { file: 'x.yml', trusted: true });
          parseAllYamlData(input);
        } catch (error) {
          if (!(error instanceof InvalidInput)) throw error;
          for (const { place } of error.problems) expect(place?.line).to.be.at.least(1);
        }
      }),
      { numRuns: 1500 },
    );
  });

  it('refuses a document nested too deeply', () => {
    for (const text of ['['.repeat(10_000), '- '.repeat(3000)]) {
      expect(() => parseYamlData(text)).to.throw(InvalidInput, 'nested too deeply');
    }
  });
});

function readCases(file: string): Case[] {
  return JSON.parse(readFileSync(new URL(file, import.meta.url), 'utf8'));
}

function read(text: string): Recorded | null {
  try {
    return record(parseYamlData(text));
  } catch (error) {
    if (error instanceof InvalidInput) return null;
    throw error;
  }
}

function record(value: Value): Recorded {
  if (value === null) return ['null', ''];
  if (typeof value === 'boolean') return ['bool', value ? 'True' : 'False'];
  if (typeof value === 'string') return ['str', value];
  if (value instanceof Timestamp) return ['time', value.text];
  if (value instanceof Float) return ['float', pythonFloat(value.value)];
  if (value instanceof Map)
    return ['dict', [...value].map(([key, item]) => [record(key), record(item)])];
  if (Array.isArray(value)) return ['list', value.map(record)];
  if (typeof value === 'number' && !Number.isInteger(value)) return ['float', pythonFloat(value)];
  return ['int', String(value)];
}

/** Python's repr() of a float. */
function pythonFloat(number: number): string {
  if (Number.isNaN(number)) return 'nan';
  if (!Number.isFinite(number)) return number > 0 ? 'inf' : '-inf';
  if (Object.is(number, -0)) return '-0.0';
  const text = Math.abs(number) >= 1e16 ? number.toExponential() : String(number);
  const exponent = text.replace(/e([+-])(\d)$/, 'e$10$2');
  return /[.e]/.test(exponent) ? exponent : `${exponent}.0`;
}
