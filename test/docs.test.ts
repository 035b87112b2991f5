import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'chai';
import { readModules } from '../scripts/module-files.ts';
import { EXIT } from '../src/cli/exit-codes.ts';
import { renderModuleIndex, renderModulePage } from '../src/cli/output/module-page.ts';
import * as errors from '../src/shared/errors.ts';
import { currentPage } from './conformance/page.ts';
import { ROOT, readSources } from './support/source-files.ts';

const read = (path: string) => readFileSync(join(ROOT, path), 'utf8');
const modules = (await readModules()).map(({ module }) => module);

/** The first column of the tables of a page, where it is code or a number. */
function firstColumn(page: string): readonly string[] {
  return [...page.matchAll(/^\| *`?([\w-]+)`? *\|/gm)].map(([, cell = '']) => cell);
}

describe('the reference of modules', () => {
  it('has a page for every module, and no other page', () => {
    const pages = readdirSync(join(ROOT, 'docs/modules')).sort();
    const wanted = [...modules.map(({ name }) => `${name}.md`), 'README.md'].sort();
    expect(pages, 'run `npm run gen`').to.deep.equal(wanted);
  });

  for (const module of modules) {
    it(`says of ${module.name} what the code says`, () => {
      expect(read(`docs/modules/${module.name}.md`), 'run `npm run gen`').to.equal(
        renderModulePage(module),
      );
    });
  }

  it('lists every module', () => {
    expect(read('docs/modules/README.md'), 'run `npm run gen`').to.equal(
      renderModuleIndex(modules),
    );
  });
});

describe('the page of errors', () => {
  const page = read('docs/errors.md');

  it('has every kind of error, and no other', () => {
    const kinds = Object.entries(errors)
      .filter(([, each]) => typeof each === 'function' && each.prototype instanceof Error)
      .map(([name]) => name);
    const documented = firstColumn(page).filter((cell) => /^[A-Z]/.test(cell));
    expect(documented.sort()).to.deep.equal(kinds.sort());
  });

  it('has every exit code with its name, and no other', () => {
    const rows = [...page.matchAll(/^\| (\d+) \| `(\w+)` \|/gm)];
    const documented = Object.fromEntries(rows.map(([, code, name = '']) => [name, Number(code)]));
    expect(documented).to.deep.equal({ ...EXIT });
  });
});

describe('the page of conformance', () => {
  it('says what the last results say', async () => {
    expect(read('docs/conformance.md')).to.equal(await currentPage());
  });
});

describe('the page of differences from Ansible', () => {
  const page = read('docs/differences.md');
  const rows = [...page.matchAll(/^\| `([a-z0-9-]+)` \|(.+)\|(.+)\|$/gm)];

  it('gives each difference once, with what differs and why', () => {
    const ids = rows.map(([, id]) => id);
    expect(new Set(ids).size).to.equal(ids.length);
    for (const [, id, what = '', why = ''] of rows) {
      expect([what.trim(), why.trim()], id).to.satisfy((cells: string[]) =>
        cells.every((cell) => cell.endsWith('.')),
      );
    }
  });

  it('explains each difference that the differential suite allows', () => {
    expect(rows.map(([, id]) => id)).to.include.members([...new Set(differentialIds())]);
  });
});

/** Entries that cases of the differential suite name. */
function differentialIds(): readonly string[] {
  const cases = join(ROOT, 'test/differential/cases');
  return readdirSync(cases).flatMap((name) => {
    const file = join(cases, name, 'case.yaml');
    if (!existsSync(file)) return [];
    const [, block = ''] = /^differences:\n((?: .*\n?)*)/m.exec(readFileSync(file, 'utf8')) ?? [];
    return [...block.matchAll(/: +([a-z0-9-]+) *$/gm)].map(([, id = '']) => id);
  });
}

describe('the documents of the repository', () => {
  it('tell what every folder of the sources holds', () => {
    const folders = new Set(
      readSources('src').map(({ path }) => path.split('/').slice(0, 3).slice(0, -1).join('/')),
    );
    const told = [...read('ARCHITECTURE.md').matchAll(/`(src\/[\w/-]+)\/`/g)].map(
      ([, each]) => each,
    );
    expect(told).to.include.members([...folders].filter((folder) => folder !== 'src'));
  });

  it('name every command of package.json that they promise', () => {
    const { scripts } = JSON.parse(read('package.json')) as { scripts: Record<string, string> }; // npm's format.
    const promised = ['README.md', 'CONTRIBUTING.md', 'ARCHITECTURE.md'].flatMap((page) =>
      [...read(page).matchAll(/npm run ([\w:]+)/g)].map(([, name = '']) => name),
    );
    expect(Object.keys(scripts)).to.include.members([...new Set(promised)]);
  });

  it('give a reason for every dependency', () => {
    const { dependencies, devDependencies } = JSON.parse(read('package.json')) as Record<
      string,
      object
    >; // npm's format.
    const names = Object.keys({ ...dependencies, ...devDependencies }).filter(
      (name) => !name.startsWith('@types/'),
    );
    const reasons = firstColumnOfPackages(read('ARCHITECTURE.md'));
    expect(reasons.sort()).to.deep.equal(names.sort());
  });
});

function firstColumnOfPackages(page: string): string[] {
  const [, table = ''] = /^## Dependencies\n(.*?)(?=^## )/ms.exec(`${page}\n## `) ?? [];
  return [...table.matchAll(/^\| `([^`]+)` \|/gm)].map(([, name = '']) => name);
}
