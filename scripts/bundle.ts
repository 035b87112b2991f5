/**
 * Bundles the program into `dist/`: two entries (command line, library) that share their chunks. Loading some 400 small
 * files would cost more than most plays. Modules and commands stay chunks of their own, loaded when first used.
 */
import { rm } from 'node:fs/promises';
import { build, type Plugin } from 'esbuild';
import { compiledSchemasModule } from './compile-schemas.ts';

/** Found in `node_modules` when first used: native parts, or what only few plays need. */
const EXTERNAL = ['ajv', 'esbuild', 'handlebars', 'ssh2'];

/** Packages written as CommonJS ask for Node's own modules with `require`. */
const REQUIRE = `import { createRequire as createRequire_ } from 'node:module';
const require = createRequire_(import.meta.url);`;

/** Compiling the schemas at every start would take a quarter of it. */
const COMPILED_SCHEMAS: Plugin = {
  name: 'compiled-schemas',
  setup({ onLoad }) {
    onLoad({ filter: /\/src\/shared\/compiled-schemas\.ts$/ }, async () => ({
      contents: await compiledSchemasModule(),
      loader: 'js',
      resolveDir: import.meta.dirname,
    }));
  },
};

await rm('dist', { recursive: true, force: true });
await build({
  entryPoints: ['src/cli/main.ts', 'src/index.ts'],
  outbase: 'src',
  outdir: 'dist',
  // One folder deep as the entries' own: a path relative to this file means the same in either.
  chunkNames: 'chunks/[name]-[hash]',
  bundle: true,
  splitting: true,
  format: 'esm',
  platform: 'node',
  target: 'node20',
  external: EXTERNAL,
  plugins: [COMPILED_SCHEMAS],
  banner: { js: REQUIRE },
  minifyWhitespace: true,
  minifySyntax: true,
  sourcemap: true,
  legalComments: 'linked',
  logLevel: 'warning',
});
