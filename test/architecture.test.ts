import { expect } from 'chai';
import { findCycles, loadedWith, readSources, type SourceFile } from './support/source-files.ts';

const sources = readSources('src');
const below = (folder: string) => sources.filter(({ path }) => path.startsWith(folder));

const MODULES_IMPORT = ['src/engine/module.ts', 'src/shared/', 'src/modules/support/'];
/** The parts of modules that talk to a cluster. */
const CLUSTER_MODULES = 'src/modules/support/kubernetes/';

/** For the files of each folder: the files of ours that they may import, as prefixes of paths. */
const DIRECTIONS: readonly (readonly [folder: string, allowed: readonly string[]])[] = [
  ['src/shared/', ['src/shared/']],
  ['src/modules/', MODULES_IMPORT],
  [CLUSTER_MODULES, [...MODULES_IMPORT, 'src/kubernetes/']],
  ['src/engine/', ['src/engine/', 'src/shared/']],
  [
    'src/scaler/triggers/',
    ['src/scaler/trigger.ts', 'src/scaler/triggers/support/', 'src/shared/'],
  ],
  ['src/kubernetes/', ['src/kubernetes/', 'src/shared/']],
  ['src/scaler/', ['src/scaler/', 'src/kubernetes/', 'src/shared/']],
  ['src/cli/', ['src/cli/', 'src/engine/', 'src/modules/registry.ts', 'src/shared/']],
];

/** Written by scripts: each knows all that it lists. */
const REGISTRIES = ['src/modules/registry.ts', 'src/scaler/triggers/registry.ts'];

/** Where alone a package may be imported; a folder ends in a slash. */
const DOORS: Readonly<Record<string, string | readonly string[]>> = {
  '@grpc/grpc-js': 'src/scaler/',
  '@kubernetes/client-node': 'src/kubernetes/',
  ajv: 'src/shared/schema-compiler.ts',
  commander: ['src/cli/', 'src/scaler/cli/'],
  croner: 'src/scaler/triggers/cron.ts',
  diff: 'src/cli/output/',
  fastify: 'src/scaler/web/',
  jsep: 'src/scaler/formula/',
  handlebars: 'src/engine/template/',
  jmespath: 'src/engine/jinja/filters/',
  picocolors: ['src/cli/', 'src/scaler/cli/'],
  read: 'src/cli/',
  'smol-toml': 'src/shared/toml.ts',
  'ssh-config': 'src/engine/connection/ssh-config.ts',
  ssh2: ['src/engine/connection/ssh.ts', 'src/engine/connection/ssh-credential.ts'],
  'prom-client': 'src/scaler/',
  selfsigned: 'src/scaler/',
  undici: ['src/modules/support/release/request.ts', 'src/kubernetes/', 'src/scaler/'],
  yaml: ['src/engine/yaml.ts', 'src/kubernetes/', 'src/scaler/'],
};

/** Lines: the most that any file may have, that of the middle one, and that which 19 of 20 keep. */
const BUDGETS: Readonly<Record<string, { hard: number; median: number; p95: number }>> = {
  'src/modules/': { hard: 250, median: 100, p95: 200 },
  'src/engine/': { hard: 300, median: 100, p95: 250 },
  'src/cli/': { hard: 300, median: 100, p95: 200 },
  'src/scaler/triggers/': { hard: 250, median: 100, p95: 200 },
  'src/kubernetes/': { hard: 200, median: 100, p95: 200 },
  'src/scaler/': { hard: 300, median: 150, p95: 250 },
  'src/shared/': { hard: 150, median: 100, p95: 150 },
};
const TEST_FILE_LINES = 400;

describe('imports', () => {
  for (const [folder, allowed] of DIRECTIONS) {
    it(`of ${folder} go only to ${allowed.join(', ')}`, () => {
      const files = below(folder).filter(({ path }) => isRuledBy(folder, path));
      expect(strayImports(files, allowed)).to.deep.equal([]);
    });
  }

  it('make no circle, those of types included', () => {
    expect(findCycles(sources).map((cycle) => cycle.join(' → '))).to.deep.equal([]);
  });

  for (const [name, door] of Object.entries(DOORS)) {
    const doors = [door].flat();
    it(`of ${name} are only in ${doors.join(', ')}`, () => {
      const users = sources.filter(({ imports }) => imports.some(({ target }) => target === name));
      const strays = users.filter(({ path }) => !doors.some((prefix) => path.startsWith(prefix)));
      expect(strays.map(({ path }) => path)).to.deep.equal([]);
    });
  }

  it('keep the client of Kubernetes off the start of the command line and of modules', () => {
    const modules = below('src/modules/').filter(({ path }) => /^src\/modules\/[^/]+$/.test(path));
    const starts = ['src/cli/main.ts', 'src/index.ts', ...modules.map(({ path }) => path)];
    const heavy = starts.filter((start) =>
      loadedWith(start, sources).has('@kubernetes/client-node'),
    );
    expect(heavy).to.deep.equal([]);
  });
});

describe('sizes', () => {
  for (const [folder, { hard, median, p95 }] of Object.entries(BUDGETS)) {
    it(`of files in ${folder} keep to the budget`, () => {
      const files = below(folder).filter(({ path }) => !REGISTRIES.includes(path));
      const long = files.filter(({ lineCount }) => lineCount > hard);
      expect(long.map(({ path, lineCount }) => `${path}: ${lineCount}`)).to.deep.equal([]);
      const sizes = files.map(({ lineCount }) => lineCount).sort((a, b) => a - b);
      expect(sizes[Math.floor(sizes.length / 2)] ?? 0, 'median').to.be.at.most(median);
      expect(sizes[Math.floor(sizes.length * 0.95)] ?? 0, '95th percentile').to.be.at.most(p95);
    });
  }

  it('of test files keep to the budget', () => {
    const long = readSources('test').filter(({ lineCount }) => lineCount > TEST_FILE_LINES);
    expect(long.map(({ path, lineCount }) => `${path}: ${lineCount}`)).to.deep.equal([]);
  });
});

describe('modules', () => {
  it('know nothing of check mode', () => {
    const files = below('src/modules/').filter(({ text }) => /check_?mode/i.test(code(text)));
    expect(files.map(({ path }) => path)).to.deep.equal([]);
  });

  it('build no command by hand', () => {
    const own = below('src/modules/').filter(({ path }) => !path.includes('/support/'));
    const files = own.filter(({ text }) => /\{ line: [`'"]/.test(code(text)));
    expect(files.map(({ path }) => path)).to.deep.equal([]);
  });
});

describe('tables of words', () => {
  it('have no members that every object has: they are made by `table`', () => {
    const folders = ['src/engine/', 'src/cli/', 'src/shared/', 'src/modules/'];
    const own = folders.flatMap(below).filter(({ path }) => !REGISTRIES.includes(path));
    const bare = /^(export )?const \w+: Readonly<Record<string,[^=]*(=>[^=]*)*= \{/m;
    expect(own.filter(({ text }) => bare.test(text)).map(({ path }) => path)).to.deep.equal([]);
  });
});

/** Without comments, and without the member in which conversations say what a check run reports instead of them. */
function code(text: string): string {
  return text.replace(/\/\*\*[\s\S]*?\*\/|\/\/.*$/gm, '').replaceAll('resultInCheckMode', '');
}

/** Registries know all that they list; the parts of modules that talk to a cluster have a rule of their own. */
function isRuledBy(folder: string, path: string): boolean {
  if (REGISTRIES.includes(path)) return false;
  return folder !== 'src/modules/' || !path.startsWith(CLUSTER_MODULES);
}

function strayImports(files: readonly SourceFile[], allowed: readonly string[]): readonly string[] {
  return files.flatMap(({ path, imports }) =>
    imports
      .filter(
        ({ target, isOurs }) => isOurs && !allowed.some((prefix) => target.startsWith(prefix)),
      )
      .map(({ target }) => `${path} imports ${target}`),
  );
}
