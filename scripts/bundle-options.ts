/** How the programs are bundled. */
import type { BuildOptions } from 'esbuild';

/** Packages written as CommonJS ask for Node's own modules with `require`. */
const REQUIRE = `import { createRequire as createRequire_ } from 'node:module';
const require = createRequire_(import.meta.url);`;

export const BUNDLE: BuildOptions = {
  // One folder deep as the entries' own: a path relative to this file means the same in either.
  chunkNames: 'chunks/[name]-[hash]',
  bundle: true,
  splitting: true,
  format: 'esm',
  platform: 'node',
  target: 'node20',
  banner: { js: REQUIRE },
  minifyWhitespace: true,
  minifySyntax: true,
  sourcemap: true,
  legalComments: 'linked',
  logLevel: 'warning',
};
