import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { expect } from 'chai';
import { REPOSITORY, tsprovProgram } from '../../support/tsprov.ts';

/** The sources of everything that a built file loads before it does anything. */
function sourcesOf(file: string, seen = new Set<string>()): readonly string[] {
  if (seen.has(file)) return [];
  seen.add(file);
  const text = readFileSync(file, 'utf8');
  const imports = [...text.matchAll(/(?:from|import)\s*"(\.[^"]+\.js)"/g)].map(([, path = '']) =>
    join(dirname(file), path),
  );
  const { sources } = JSON.parse(readFileSync(`${file}.map`, 'utf8')) as { sources: string[] }; // esbuild's format.
  const own = sources.map((source) => join(dirname(file), source));
  return [...own, ...imports.flatMap((path) => sourcesOf(path, seen))];
}

describe('the start of a command line', () => {
  before(tsprovProgram);
  const started = (entry: string) => sourcesOf(join(REPOSITORY, 'dist', entry));
  const within = (sources: readonly string[], folder: string) =>
    sources.filter((source) => source.startsWith(join(REPOSITORY, folder)));

  it('of tsprov loads nothing of the scaler', () => {
    const sources = started('cli/main.js');
    expect(within(sources, 'src/cli')).to.not.deep.equal([]);
    expect(within(sources, 'src/scaler')).to.deep.equal([]);
  });

  it('of tsprov-scaler loads nothing of the engine, and no trigger', () => {
    const sources = started('scaler/cli/main.js');
    expect(within(sources, 'src/scaler/cli')).to.not.deep.equal([]);
    expect(within(sources, 'src/engine')).to.deep.equal([]);
    expect(within(sources, 'src/scaler/triggers')).to.deep.equal([]);
    expect(within(sources, 'node_modules/yaml')).to.deep.equal([]);
  });

  it('of the operator loads no client of a source', () => {
    const chunks = readdirSync(join(REPOSITORY, 'dist/scaler/chunks'));
    const run = chunks.find((name) => /^run-\w+\.js$/.test(name));
    const sources = started(`scaler/chunks/${run}`);
    expect(within(sources, 'src/scaler/operator')).to.not.deep.equal([]);
    for (const client of ['pg', 'mysql2', 'ioredis', 'amqplib', 'kafkajs', '@grpc/grpc-js']) {
      const found = sources.filter((source) => source.includes(`/node_modules/${client}/`));
      expect(found, client).to.deep.equal([]);
    }
  });
});
