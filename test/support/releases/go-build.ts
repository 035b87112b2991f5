import { createHash } from 'node:crypto';
import { appendFile, cp, mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { cached } from '../cache.ts';
import { mustRun } from '../run-command.ts';

/** The architectures of test machines, in Go's words, which are those of release archives. */
export type Architecture = 'amd64' | 'arm64';

/** That of this computer. */
export const HERE: Architecture = process.arch === 'arm64' ? 'arm64' : 'amd64';

/** How programs are built: without libraries of this computer, and by a compiler that takes memory rather than time. */
export const GO_ENVIRONMENT = {
  ...process.env,
  ...{ CGO_ENABLED: '0', GOGC: 'off', GOMEMLIMIT: '1GiB' },
};
/** Nothing is made for debuggers, and no function is put into those that call it: a third of the time less. */
export const QUICKLY = '-gcflags=all=-dwarf=false -l';

/** Commands of one Go module at one version. */
export interface GoCommands {
  /** Name of the result in the cache. */
  readonly name: string;
  /** With its `v`. */
  readonly version: string;
  readonly module: string;
  /** Modules that are taken in place of others, as `replace` in go.mod has them. */
  readonly replaces?: readonly string[];
  /** Packages of the commands, below the module. */
  readonly packages: readonly string[];
  /** Build tags. */
  readonly tags?: readonly string[];
  /** Variable of a package below the module that holds the version, where somebody asks for it. */
  readonly versionVariable?: string;
  /** The version that they tell, where their sources are of another. */
  readonly tells?: string;
  /** Files of the source tree that are kept beside the commands, below `tree`. */
  readonly files: readonly string[];
  /** Modules, with versions, that take part in the choice of the versions that they depend on. */
  readonly beside?: readonly string[];
}

/** A command of the tests' own, from a folder of Go files. */
export interface StandIn {
  readonly name: string;
  readonly version: string;
  /** Modules that it needs, with versions. */
  readonly requires: readonly string[];
  /** Modules that are taken in place of others, as `replace` in go.mod has them. */
  readonly replaces?: readonly string[];
}

/**
 * Builds commands from their Go module, once, into a folder of the cache. The module is a dependency of a wrapper:
 * `go install` refuses modules that replace others.
 */
export function goBinaries(
  commands: GoCommands,
  architecture: Architecture = HERE,
): Promise<string> {
  const { module, version, packages, versionVariable, files, beside = [] } = commands;
  const { tells = version } = commands;
  const imports = packages.map((each) => `${module}/${each}`);
  const folder = `${commands.name}-${version}-${architecture}-${fingerprint(commands)}`;
  return built(folder, architecture, {
    requires: [`${module}@${version}`, ...beside],
    replaces: commands.replaces ?? [],
    tags: commands.tags ?? [],
    prepare: (folder) =>
      writeFile(
        join(folder, 'tools.go'),
        `//go:build tools\n\npackage tools\n\nimport (\n${imports.map((each) => `\t_ "${each}"\n`).join('')})\n`,
      ),
    flags: versionVariable === undefined ? '' : `-X ${module}/${versionVariable}=${tells}`,
    targets: imports,
    module,
    keep: async (tree, path) => {
      for (const file of files) {
        await cp(join(tree, file), join(path, 'tree', file), { force: true, recursive: true });
      }
    },
  });
}

/** Builds a stand-in, once, into a folder of the cache. */
export function standIn(program: StandIn, architecture: Architecture = HERE): Promise<string> {
  const source = join(import.meta.dirname, 'stand-ins', program.name);
  const folder = `${program.name}-${program.version}-${architecture}-${fingerprint(program)}`;
  return built(folder, architecture, {
    command: program.name,
    requires: program.requires,
    replaces: program.replaces ?? [],
    prepare: (folder) => cp(source, folder, { recursive: true }),
    flags: `-X main.version=${program.version}`,
    targets: ['.'],
  });
}

/** Tells recipes apart: one that has changed is followed anew. */
export function fingerprint(recipe: unknown): string {
  return createHash('sha256').update(JSON.stringify(recipe)).digest('hex').slice(0, 8);
}

interface Recipe {
  /** Name of the wrapper's own command, where it has one. */
  readonly command?: string;
  readonly requires: readonly string[];
  readonly replaces?: readonly string[];
  readonly tags?: readonly string[];
  readonly prepare: (folder: string) => Promise<void>;
  readonly flags: string;
  readonly targets: readonly string[];
  /** The module that is built, where it is not the wrapper itself; `keep` gets its source tree. */
  readonly module?: string;
  readonly keep?: (tree: string, path: string) => Promise<void>;
}

function built(
  name: string,
  architecture: Architecture,
  { command = 'wrapper', requires, replaces = [], tags = [], ...recipe }: Recipe,
): Promise<string> {
  const { prepare, flags, targets, module, keep } = recipe;
  return cached(`releases/${name}`, async (path) => {
    const wrapper = `${path}.module`;
    await rm(wrapper, { recursive: true, force: true });
    for (const each of [wrapper, path]) await mkdir(each, { recursive: true });
    const lines = [`module ${command}`, 'go 1.24.0', ...replaces.map((each) => `replace ${each}`)];
    await writeFile(join(wrapper, 'go.mod'), `${lines.join('\n')}\n`);
    await prepare(wrapper);
    const env = { ...GO_ENVIRONMENT, GOARCH: architecture };
    const go = (...args: readonly string[]) => mustRun('go', args, { cwd: wrapper, env });
    if (requires.length > 0) await go('get', ...requires);
    const tree = module && (await go('list', '-m', '-f', '{{.Dir}}', module)).trim();
    // Not every version that a module asks for is in the public database of sums; those in its own list are.
    if (tree) await appendFile(join(wrapper, 'go.sum'), await readFile(join(tree, 'go.sum')));
    await go(
      ...['build', '-mod=mod', '-trimpath', '-buildvcs=false', '-ldflags', `-s -w ${flags}`],
      ...[QUICKLY, '-tags', tags.join()],
      ...['-o', `${path}/`, ...targets],
    );
    if (tree) await keep?.(tree, path);
    await rm(wrapper, { recursive: true, force: true });
  });
}
