import { cp, mkdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { cached } from '../cache.ts';
import { mustRun } from '../run-command.ts';

/** The architectures of test machines, in Go's words, which are those of release archives. */
export type Architecture = 'amd64' | 'arm64';

/** Commands of one Go module at one version. */
export interface GoCommands {
  /** Name of the result in the cache. */
  readonly name: string;
  /** With its `v`. */
  readonly version: string;
  readonly module: string;
  /** Packages of the commands, below the module. */
  readonly packages: readonly string[];
  /** Variable of a package below the module that holds the version. */
  readonly versionVariable: string;
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
}

/**
 * Builds commands from their Go module, once, into a folder of the cache. The module is a dependency of a wrapper:
 * `go install` refuses modules that replace others.
 */
export function goBinaries(commands: GoCommands, architecture: Architecture): Promise<string> {
  const { module, version, packages, versionVariable, files, beside = [] } = commands;
  const imports = packages.map((each) => `${module}/${each}`);
  return built(commands, architecture, {
    requires: [`${module}@${version}`, ...beside],
    prepare: (folder) =>
      writeFile(
        join(folder, 'tools.go'),
        `//go:build tools\n\npackage tools\n\nimport (\n${imports.map((each) => `\t_ "${each}"\n`).join('')})\n`,
      ),
    flags: `-X ${module}/${versionVariable}=${version}`,
    targets: imports,
    keep: async (wrapper, path) => {
      const list = ['list', '-m', '-f', '{{.Dir}}', module];
      const tree = (await mustRun('go', list, { cwd: wrapper })).trim();
      for (const file of files)
        await cp(join(tree, file), join(path, 'tree', file), { force: true });
    },
  });
}

/** Builds a stand-in, once, into a folder of the cache. */
export function standIn(program: StandIn, architecture: Architecture): Promise<string> {
  const source = join(import.meta.dirname, 'stand-ins', program.name);
  return built(program, architecture, {
    requires: program.requires,
    prepare: (folder) => cp(source, folder, { recursive: true }),
    flags: `-X main.version=${program.version}`,
    targets: ['.'],
  });
}

interface Recipe {
  readonly requires: readonly string[];
  readonly prepare: (folder: string) => Promise<void>;
  readonly flags: string;
  readonly targets: readonly string[];
  readonly keep?: (wrapper: string, path: string) => Promise<void>;
}

function built(
  { name, version }: { readonly name: string; readonly version: string },
  architecture: Architecture,
  { requires, prepare, flags, targets, keep }: Recipe,
): Promise<string> {
  return cached(`releases/${name}-${version}-${architecture}`, async (path) => {
    const wrapper = `${path}.module`;
    await rm(wrapper, { recursive: true, force: true });
    for (const each of [wrapper, path]) await mkdir(each, { recursive: true });
    await writeFile(join(wrapper, 'go.mod'), `module ${name}\n\ngo 1.24.0\n`);
    await prepare(wrapper);
    const env = { ...process.env, CGO_ENABLED: '0', GOARCH: architecture };
    const go = (...args: readonly string[]) => mustRun('go', args, { cwd: wrapper, env });
    if (requires.length > 0) await go('get', ...requires);
    await go(
      ...['build', '-mod=mod', '-trimpath', '-buildvcs=false', '-ldflags', `-s -w ${flags}`],
      ...['-o', `${path}/`, ...targets],
    );
    await keep?.(wrapper, path);
    await rm(wrapper, { recursive: true, force: true });
  });
}
