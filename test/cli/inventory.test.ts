import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect } from 'chai';
import { split } from 'shlex';
import { parse } from 'yaml';
import { inventoryCommand } from '../../src/cli/commands/inventory.ts';

const DATA = fileURLToPath(new URL('../engine/inventory/data/', import.meta.url));

/** What ansible-inventory printed for each command line (data/record.py). */
const SHOWN: Readonly<Record<string, readonly string[]>> = JSON.parse(
  readFileSync(`${DATA}recorded.json`, 'utf8'),
).shown;

describe('tsprov inventory prints what ansible-inventory prints', () => {
  let directory: string;
  let output: string;
  const cwd = process.cwd();

  before(() => {
    directory = mkdtempSync(join(tmpdir(), 'tsprov-inventory-'));
    output = join(directory, 'output');
    process.chdir(DATA);
  });
  after(() => {
    process.chdir(cwd);
    rmSync(directory, { recursive: true });
  });

  for (const [args, lines] of Object.entries(SHOWN)) {
    it(`for ${args}`, async () => {
      const words = [...split(args), '--output', output];
      await inventoryCommand().parseAsync(words, { from: 'user' });
      const text = readFileSync(output, 'utf8').trimEnd();
      const isYaml = /-y\b|--yaml/.test(args);
      if (isYaml) expect(parse(text)).to.deep.equal(parse(lines.join('\n')));
      else if (!text.startsWith('{')) expect(text.split('\n')).to.deep.equal(lines);
      else expect(JSON.parse(text)).to.deep.equal(JSON.parse(lines.join('\n'), withoutBytes));
    });
  }
});

/** The bytes `b'x'` of an INI inventory are text here, and the same text is written in it elsewhere. */
function withoutBytes(_key: string, value: unknown): unknown {
  return JSON.stringify(value) === '{"__ansible_unsafe":"x"}' ? 'x' : value;
}
