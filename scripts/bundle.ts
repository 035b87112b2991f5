/**
 * Bundles the two programs into `dist/`: `tsprov` with the library, and `tsprov-scaler`, which needs nothing but its own
 * folder `dist/scaler/`. Loading some 400 small files would cost more than most plays. Modules, commands and clients of
 * sources stay chunks of their own, loaded when first used.
 */
import { rm } from 'node:fs/promises';
import { build, type Plugin } from 'esbuild';
import type { Schema } from '../src/shared/schema-compiler.ts';
import { BUNDLE } from './bundle-options.ts';
import { compiledSchemasModule, playbookSchemas, resourceSchemas } from './compile-schemas.ts';
import { packProgram } from './program-archive.ts';

/** Compiling the schemas at every start would take a quarter of it. */
function compiled(schemas: readonly Schema[]): Plugin {
  return {
    name: 'compiled-schemas',
    setup({ onLoad }) {
      onLoad({ filter: /\/src\/shared\/compiled-schemas\.ts$/ }, () => ({
        contents: compiledSchemasModule(schemas),
        loader: 'js',
        resolveDir: import.meta.dirname,
      }));
    },
  };
}

await rm('dist', { recursive: true, force: true });
await build({
  ...BUNDLE,
  entryPoints: ['src/cli/watch.ts', 'src/cli/main.ts', 'src/index.ts'],
  outbase: 'src',
  outdir: 'dist',
  // Found in `node_modules` when first used: native parts, or what only few plays need.
  external: ['ajv', 'esbuild', 'handlebars', 'ssh2'],
  plugins: [compiled(await playbookSchemas())],
});
await build({
  ...BUNDLE,
  entryPoints: ['src/scaler/cli/main.ts'],
  outbase: 'src/scaler',
  outdir: 'dist/scaler',
  plugins: [compiled(resourceSchemas())],
});
packProgram('dist/scaler.tgz');
